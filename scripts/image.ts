import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as elapsed } from 'node:timers/promises'

/**
 * image.js IMAGE.json ROOT WORK: starts the built image as a container engine does that was told `--read-only
 * --security-opt no-new-privileges` and a volume, and calls it. What is run is what the image says, and nothing of this machine:
 * user, environment, directory, commands and health check. Started by image.sh, in a mount and a network namespace
 * that end with it.
 */
const [imageFile = '', root = '', work = ''] = process.argv.slice(2)

type Image = {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly Volumes: Readonly<Record<string, unknown>>
  readonly Healthcheck: { readonly Test: readonly string[] }
}
const image: Image = JSON.parse(readFileSync(imageFile, 'utf8')).Docker.config
const [uid = '', gid = ''] = image.User.split(':')
const PARTNERS = 'http://127.0.0.1:8080'
const READY = 'http://127.0.0.1:8081/readyz'
const running = new Set<ChildProcess>()

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }
type Container = { readonly process: ChildProcess; readonly ended: Promise<Ended> }

/** A command in the image, as process 1 of its own like in every container. */
function start(command: readonly string[]): Container {
  const own = ['--pid', '--fork', `--root=${root}`, `--wd=${image.WorkingDir}`, '--mount-proc=/proc']
  const process = spawn(
    '/usr/bin/setpriv',
    ['--no-new-privs', '/usr/bin/unshare', ...own, `--setgid=${gid}`, `--setuid=${uid}`, ...command],
    {
      env: Object.fromEntries(image.Env.map((line) => line.split(/=(.*)/s))),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  running.add(process)
  const said = { out: '', err: '' }
  process.stdout.on('data', (text) => {
    said.out += text
  })
  process.stderr.on('data', (text) => {
    said.err += text
  })
  const ended = once(process, 'close').then(([code]) => {
    running.delete(process)
    return { code, ...said }
  })
  return { process, ended }
}

const sandgate = (...args: string[]) => start([...image.Entrypoint, ...args])
const javascript = (text: string) => start(['/usr/local/bin/node', '-e', text]).ended
const health = () => start(image.Healthcheck.Test.slice(1)).ended

/** Process 1 of the container, which a container engine signals: not the one that waits for it. */
function processOne({ process: { pid } }: Pick<Container, 'process'>): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
}

function expect(holds: boolean, sentence: string, found?: unknown): void {
  if (!holds)
    throw new Error(`not so: ${sentence}${found === undefined ? '' : `\n${JSON.stringify(found, null, 2)}`}`)
  console.log(`ok: ${sentence}`)
}

/** The file system as the engine would give it: everything read-only but the volume, which begins as the image has it. */
function mountImage(): void {
  const mount = (...args: string[]) => execFileSync('mount', args)
  const [volume = ''] = Object.keys(image.Volumes)
  const state = join(work, 'state')
  execFileSync('cp', ['-a', join(root, volume), state])
  mount('--bind', root, root)
  mount('-t', 'tmpfs', '-o', 'size=64k', 'dev', join(root, 'dev'))
  for (const name of ['null', 'zero', 'full', 'random', 'urandom']) {
    writeFileSync(join(root, 'dev', name), '')
    mount('--bind', `/dev/${name}`, join(root, 'dev', name))
  }
  mkdirSync(join(root, 'dev/shm'))
  mount('--bind', state, join(root, volume))
  for (const path of ['dev', '']) mount('-o', 'remount,bind,ro', join(root, path))
}

async function ready(container: Container): Promise<number> {
  const began = performance.now()
  for (;;) {
    const answer = await fetch(READY).catch(() => undefined)
    if (answer?.status === 200) return Math.round(performance.now() - began)
    if (container.process.exitCode !== null || performance.now() - began > 60_000)
      expect(false, 'the gateway gets ready', await container.ended)
    await elapsed(10)
  }
}

/** As an engine stops it: SIGTERM to process 1, and never SIGKILL. */
async function stop(container: Container): Promise<number> {
  const began = performance.now()
  process.kill(processOne(container), 'SIGTERM')
  await elapsed(500)
  const answers = await Promise.all([fetch(READY), fetch(`${PARTNERS}/.well-known/jwks.json`)])
  const codes = answers.map(({ status }) => status)
  expect(codes.join() === '503,200', 'asked to stop, it is not ready, and goes on serving', codes)
  const { code, err } = await container.ended
  expect(code === 0, 'it drains and ends with 0', { code, err })
  return Math.round(performance.now() - began)
}

async function tryImage(): Promise<void> {
  expect(image.Healthcheck.Test[0] === 'CMD', 'HEALTHCHECK is a program, not a line for a shell')
  const forgotten = await sandgate(...image.Cmd).ended
  expect(
    forgotten.code === 3 && /sandgate init/.test(forgotten.err),
    'without init it ends with 3 and says so',
    forgotten,
  )

  const made = await sandgate('init').ended
  const variable = (name: string) => new RegExp(`^export ${name}=(.+)$`, 'm').exec(made.out)?.[1] ?? ''
  const secret = variable('SANDGATE_CLIENT_SECRET')
  expect(made.code === 0 && secret !== '', 'init prints a key', made)
  const config = join(work, 'state/config')
  const kept = readdirSync(config).map((name) => readFileSync(join(config, name), 'utf8'))
  expect(kept.length === 2 && !kept.join('\n').includes(secret), 'and does not keep it', kept.length)
  const again = await sandgate('init').ended
  expect(again.code === 1 && !again.out, 'a second init changes nothing', again)

  let gateway = sandgate(...image.Cmd)
  const first = await ready(gateway)
  const status = readFileSync(`/proc/${processOne(gateway)}/status`, 'utf8')
  const of = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? ''
  expect(of('NSpid').split(/\s+/).at(-1) === '1', 'the gateway is process 1', of('NSpid'))
  expect(
    of('Uid')
      .split(/\s+/)
      .every((id) => id === uid) && of('Groups') === '',
    `as user ${uid}, in no other group`,
    status,
  )
  expect(
    /^0+$/.test(of('CapPrm')) && of('NoNewPrivs') === '1',
    'without capabilities and without a way to any',
    status,
  )
  const places = ['/', '/tmp', '/etc', '/opt/sandgate', '/dev']
  const written = await javascript(
    `for (const place of ${JSON.stringify(places)}) try { require('fs').writeFileSync(place + '/x', ''); console.log(place) } catch {}`,
  )
  expect(written.code === 0 && written.out === '', 'nothing can be written outside of the volume', written)
  expect((await health()).code === 0, 'HEALTHCHECK says healthy')

  const pay = async (key: string) => {
    const credentials = new URLSearchParams({
      client_id: variable('SANDGATE_CLIENT_ID'),
      client_secret: secret,
    })
    const token = await fetch(`${PARTNERS}/auth/token`, { method: 'POST', body: credentials })
    const { access_token } = (await token.json()) as { access_token: string }
    const answer = await fetch(`${PARTNERS}/v1/payments/fund`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: '{"amount":5077}',
    })
    return {
      status: answer.status,
      replayed: answer.headers.get('idempotency-replayed'),
      body: await answer.text(),
    }
  }
  const key = randomUUID()
  const paid = await pay(key)
  expect(paid.status < 300 && paid.replayed !== 'true', 'a token is given and a payment made', paid)
  const backup = await start(['/usr/local/bin/sandgate', 'data', 'backup', 'backups/one']).ended
  expect(backup.code === 0, 'a command beside it finds it by its data directory', backup)
  const memory = Math.round(Number.parseInt(of('VmRSS'), 10) / 1024)

  const stopped = await stop(gateway)
  expect((await health()).code === 1, 'HEALTHCHECK says unhealthy when nothing runs')

  gateway = sandgate(...image.Cmd)
  const second = await ready(gateway)
  const replayed = await pay(key)
  expect(
    replayed.replayed === 'true' && replayed.body === paid.body,
    'after a restart the same key gets the same answer',
    replayed,
  )
  await stop(gateway)
  console.log(
    `ready after ${first} ms, again after ${second} ms; ${memory} MB when ready; stopped after ${stopped} ms`,
  )
}

try {
  mountImage()
  await tryImage()
} finally {
  for (const process of running) {
    try {
      globalThis.process.kill(processOne({ process }), 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
