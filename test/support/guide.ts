import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { DEMO_KEY } from '../../src/config/sandbox-keys.ts'
import { COMMAND, environmentOfADesk, isAlwaysCommand } from './command.ts'
import { runHere } from './command-line.ts'
import { freePort } from './free-port.ts'
import { temporaryDirectory } from './gateway.ts'
import { keepSigningKey } from './signing-key.ts'

/** A code block of a guide, or a script of a CI recipe. */
export type Block = {
  readonly file: string
  readonly line: number
  /** What is written behind the fence; empty where nothing is. */
  readonly language: string
  readonly text: string
}

export function blocksOf(file: string): Block[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(
    ({ 1: language = '', 2: body = '', index }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      language,
      text: body,
    }),
  )
}

/**
 * How `sandgate` runs: as the command that ships, or in the process of the tests, which has its code loaded already: the
 * start of a program is nearly all that most commands take. What serves, runs a command or reads its input, and what
 * no other test runs by it, is always the command that ships.
 */
type Runs = 'as-command' | 'here'

/** Where a guide is followed: a directory, the ports of its gateway, and what its commands find on their path. */
export type Place = {
  readonly directory: string
  readonly runs: Runs
  readonly port: number
  readonly env: NodeJS.ProcessEnv
}

/** What stands for `npm test` in a partner's project. A shell starts sooner than a Node.js of its own. */
const PARTNERS_TESTS = `set -e
send() { "$REAL_CURL" -sS --fail-with-body -H "Authorization: Bearer $token" "$@"; }
token=$("$REAL_CURL" -sS --fail-with-body "$SANDGATE_URL/auth/token" \\
  -d "client_id=$CLIENT_ID" -d "client_secret=$SANDGATE_CLIENT_SECRET" |
  sed -n 's/.*"access_token": *"\\([^"]*\\)".*/\\1/p')
send "$SANDGATE_URL/v1/payments/fund" -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" -d '{"amount":5077}'
send "$SANDGATE_URL/v1/accounts"
`

/**
 * Programs that a guide names and that are not run as they are. `sandgate` runs as its place says (`Runs`). npm installs and
 * builds nothing, since that is done, starts what package.json says, and tests what a partner would. curl fails where
 * the answer is an error. The UUIDs that a guide asks node for are the kernel's, which need no start of a program.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  sandgate: `case "$RUNS $1 $2" in
as-command*|*" serve "*|*" record "*|*" replay "*|*" logs -"*|*" keys list"|*" partners check"|*" cassette merge"|*" openapi "*)
  exec "${process.execPath}" "${COMMAND}" "$@" ;;
esac
said=$(mktemp -d -p "$STAND_INS")
code=$({ printf '%s\\0' "$said" "$PWD" "$#" "$@"; env -0; } |
  "$REAL_CURL" -sS --unix-socket "$STAND_INS/here" --data-binary @- http://here/)
cat "$said/out"
cat "$said/err" >&2
exit "$code"`,
  npx: 'while case "$1" in -*) true ;; *) false ;; esac; do shift; done; exec "$@"',
  npm: `case "$*" in
ci*|"run build"|pack|install*) exit 0 ;;
start) exec sh -c "$(sed -n 's/^ *"start": "\\(.*\\)",$/\\1/p' package.json)" ;;
test) exec sh "$STAND_INS/partners-tests.sh" ;;
*) echo "npm $* has no stand-in" >&2; exit 64 ;;
esac`,
  curl: 'exec "$REAL_CURL" --fail-with-body "$@"',
  node: `case "$*" in
"-p crypto.randomUUID()") exec cat /proc/sys/kernel/random/uuid ;;
*) exec "${process.execPath}" "$@" ;;
esac`,
  journalctl: 'cat gateway.log',
}

/** Runs a command line that the stand-in sends: writes what it prints beside it, and returns its exit code. */
async function runSent(request: IncomingMessage): Promise<number> {
  const [said = '', directory = '', count, ...rest] = String(await buffer(request)).split('\0')
  const args = rest.slice(0, Number(count))
  const env = rest.slice(args.length, -1).map((each) => {
    const at = each.indexOf('=')
    return [each.slice(0, at), each.slice(at + 1)]
  })
  const { code, out, err } = await runHere(args, Object.fromEntries(env), directory)
  writeFileSync(join(said, 'out'), out)
  writeFileSync(join(said, 'err'), err)
  return code
}

/** Runs command lines in this process until it is closed. */
async function commandsHere({ env }: Place): Promise<{ readonly close: () => void }> {
  // One after the other: a process has one working directory.
  let last: Promise<unknown> = Promise.resolve()
  const server = createServer((request, response) => {
    last = last
      .then(() => runSent(request))
      .then(
        (code) => response.end(String(code)),
        (error) => response.end(`70 ${error}`),
      )
  })
  await once(server.listen(join(env.STAND_INS ?? '', 'here')), 'listening')
  return { close: () => server.close() }
}

/**
 * `checkout`: what a clone has after `npm ci && npm run build`. `empty`: nothing. Either has a signing key already, unless
 * its gateway is to make one at its first start. `port`: of a gateway that is there already.
 */
export async function makePlace(
  kind: 'checkout' | 'empty',
  options: { readonly isFirstStart?: boolean; readonly runs?: Runs; readonly port?: number } = {},
): Promise<Place> {
  const directory = temporaryDirectory('guide')
  const { isFirstStart = false } = options
  const runs = isAlwaysCommand() ? 'as-command' : (options.runs ?? 'here')
  if (!isFirstStart) keepSigningKey(join(directory, 'data'))
  const standIns = temporaryDirectory('stand-ins')
  for (const [name, script] of Object.entries(STAND_INS)) {
    writeFileSync(join(standIns, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(standIns, name), 0o755)
  }
  writeFileSync(join(standIns, 'partners-tests.sh'), PARTNERS_TESTS)
  if (kind === 'checkout') {
    for (const name of ['config', 'recordings', 'package.json'])
      cpSync(name, join(directory, name), { recursive: true })
    for (const name of ['dist', 'node_modules']) symlinkSync(resolve(name), join(directory, name))
  } else mkdirSync(join(directory, 'recordings'))
  const [port, operatorPort] = [options.port ?? (await freePort()), await freePort()]
  const path = process.env.PATH ?? ''
  const env = {
    ...environmentOfADesk(),
    PATH: `${standIns}${delimiter}${path}`,
    HOME: directory,
    // What other tests have compiled, a place has; whatever else is kept there is kept for all of them as well.
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    STAND_INS: standIns,
    RUNS: runs,
    REAL_CURL: '/usr/bin/curl',
    SANDGATE_LISTEN_PORT: String(port),
    SANDGATE_OPERATOR_PORT: String(operatorPort),
    // A busy machine delays the loop.
    SANDGATE_SERVER_MAX_LOOP_DELAY_MS: '60000',
    CLIENT_ID: 'key_demo',
    SANDGATE_CLIENT_SECRET: DEMO_KEY,
    SANDBOX_URL: `http://127.0.0.1:${port}`,
  }
  return { directory, runs, port, env }
}

/** What a guide's commands say, for this place: ports, and the hosts and paths of somebody else's machine. */
function inPlace(text: string, { port, env }: Place): string {
  return text
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${env.SANDGATE_OPERATOR_PORT}`)
    .replaceAll('https://sandbox.example.com', `http://127.0.0.1:${port}`)
    .replaceAll('--port 9000', `--port ${port}`)
    .replaceAll('/var/log/sandgate.log', 'gateway.log')
}

export type Step = {
  readonly block: Block
  /** `on`: it starts the gateway, which goes on while the guide is read. `alone`: it is ended when it listens. */
  readonly serves?: 'on' | 'alone'
  /** The gateway is stopped before, and started again after it. */
  readonly stopped?: boolean
  /** What the reader has done by then: a shell's commands. */
  readonly before?: string
  /** The exit code that is meant. */
  readonly exit?: number
}

/** How a guide went: the output of each step, and where it stopped. */
export type Followed = {
  readonly failed: string | undefined
  readonly outputs: ReadonlyMap<Block, string>
}

const LISTENING = 'until grep -q listening gateway.log; do kill -0 $SERVER; sleep 0.15; done'
const STOP = 'kill -- -$SERVER; wait $SERVER || true'

/** Follows a guide from its top, in one shell, so that what a block sets is there for the next. */
export async function follow(
  place: Place,
  steps: readonly Step[],
  env: NodeJS.ProcessEnv = {},
): Promise<Followed> {
  const serving = steps.find(({ serves }) => serves === 'on')
  const texts = steps.map((step, index) => {
    const lines = [`exec > step-${index}.txt 2>&1 < /dev/null`, step.before ?? '']
    if (step.stopped) lines.push(STOP, 'SERVER=')
    lines.push(running(step))
    if (step.serves === 'alone') lines.push(STOP, 'SERVER=')
    if (step.stopped && serving) lines.push(running(serving))
    return inPlace([...lines, `echo ${index} >> steps.txt`, ''].join('\n'), place)
  })
  // Each job has a process group of its own, to end all of it.
  writeFileSync(join(place.directory, 'guide.sh'), `set -em -o pipefail\n${texts.join('')}`)
  const here = place.runs === 'here' ? await commandsHere(place) : undefined
  const shell = spawn('bash', ['guide.sh'], {
    cwd: place.directory,
    env: { ...place.env, ...env },
    stdio: 'ignore',
  })
  const read = (name: string) => {
    const path = join(place.directory, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  try {
    await once(shell, 'exit')
  } finally {
    here?.close()
    shell.kill('SIGKILL')
    for (const pid of read('servers.txt').split('\n')) endGroup(Number(pid))
  }
  const done = read('steps.txt').split('\n').length - 1
  const block = steps[done]?.block
  return {
    failed: block && `${block.file}:${block.line}\n${block.text}\n${read(`step-${done}.txt`)}`,
    outputs: new Map(steps.map((step, index) => [step.block, read(`step-${index}.txt`)])),
  }
}

/** The commands of a step, in a shell that ends with the first that fails. */
function running({ block: { text }, serves, exit = 0 }: Step): string {
  if (serves !== undefined)
    return `if [ -n "$SERVER" ]; then ${STOP}; fi\nrm -f gateway.log\n(\n${text}) > gateway.log 2>&1 &\nSERVER=$!\necho $SERVER >> servers.txt\n${LISTENING}`
  return exit === 0
    ? text
    : `CODE=0; (\n${text}) || CODE=$?\necho; echo "ended with $CODE"; [ $CODE -eq ${exit} ]`
}

function endGroup(pid: number): void {
  if (!(pid > 1)) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}
