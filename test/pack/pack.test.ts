import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as library from '../../src/sandgate.ts'
import { run, type Said, scripts } from '../facts/sessions.ts'
import { frontDoor, targetAt } from '../facts/ways.ts'
import { runs } from '../support/effort.ts'
import { freePort } from '../support/free-port.ts'
import { type PartnerProject, partnerProject } from './partner-project.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const TOOLS = 'node_modules/.cache/test-runners/node_modules'
let project: PartnerProject

beforeAll(() => {
  project = partnerProject()
  project.link('vitest', 'node_modules')
  project.link('jest', TOOLS)
})

afterAll(() => project.remove())

/** What npx runs, without the time that npx itself takes. */
const sandgate = (...args: string[]) => project.run('node_modules/.bin/sandgate', ...args)
const node = (...args: string[]) => project.run(process.execPath, ...args)

describe('the package', () => {
  it('is smaller than 1.5 MB', () => {
    expect(statSync(project.tarball).size).toBeLessThan(1_500_000)
  })

  it('brings nothing that runs when it is installed, but what builds native code', () => {
    const modules = join(project.directory, 'node_modules')
    const manifests = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^(?:@[^/]+\/)?[^/]+\/package\.json$/.test(name.replaceAll(/[^/]+\/node_modules\//g, '')),
    )
    const installing = manifests.filter((name) => {
      const text = readFileSync(join(modules, name), 'utf8')
      const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, string> }
      return scripts.preinstall ?? scripts.install ?? scripts.postinstall
    })
    const native = ['lmdb/package.json', 'msgpackr-extract/package.json']
    expect(installing.filter((name) => !native.includes(name))).toEqual([])
  })

  it('names what its one file holds, with versions and licences', () => {
    const root = join(project.directory, 'node_modules/sandgate')
    const notices = readFileSync(join(root, 'dist/third-party.txt'), 'utf8').split(`\n${'-'.repeat(80)}\n`)
    // One of them has no file of its own with its licence.
    const named = notices.map(
      (notice) => /^(\S+) (\S+) \(\S+\)(?:\n\n.*copyright.*)?$/is.exec(notice.trim())?.[1],
    )
    expect(named).not.toContain(undefined)
    const source = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const imported = source.flatMap((name) =>
      [...readFileSync(join('src', name), 'utf8').matchAll(/ from '([^.'][^']*)'$/gm)]
        .map(([, path = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '')
        .filter((name) => !name.startsWith('node:')),
    )
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object }
    const known = [...named, ...Object.keys(dependencies)]
    expect(imported).toContain('fastify')
    expect([...new Set(imported)].filter((name) => !known.includes(name))).toEqual([])
  })

  it('has everything that its own pages lead to', () => {
    const root = join(project.directory, 'node_modules/sandgate')
    const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    )
    expect(pages).toContain('README.md')
    const dead = pages.flatMap((page) =>
      [
        ...readFileSync(join(root, page), 'utf8').matchAll(
          /\]\(([^)\s#]+)(?:#[^)]*)?\)|(?:src|srcset)="([^"]+)"/g,
        ),
      ]
        .map(([, link, source]) => link ?? source ?? '')
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !statSync(join(root, page, '..', target), { throwIfNoEntry: false }))
        .map((target) => `${page}: ${target}`),
    )
    expect(dead).toEqual([])
  })
})

describe('the installed package', () => {
  it('runs as a command, and says its version', () => {
    expect(project.run('npx', '--no', '--', 'sandgate', '--version')).toBe(`${version}\n`)
  })

  it('can open its store: the native part is there without any script', () => {
    const lmdb = `import { open } from 'lmdb'; const db = open({ path: 'data' }); await db.put('a', 1); console.log(db.get('a'))`
    expect(node('--input-type=module', '-e', lmdb)).toBe('1\n')
  })

  it('shows the cassettes that it ships', () => {
    const recordings = join(project.directory, 'node_modules/sandgate/recordings')
    const shipped = readdirSync(recordings).filter((name) => name.endsWith('.har'))
    expect(shipped.length).toBeGreaterThan(0)
    for (const name of shipped)
      expect(sandgate('cassette', 'show', join(recordings, name))).toMatch(/interactions/)
  })

  it('replays what it ships, by its command and from a program', () => {
    project.write('sign-in.mjs', SIGN_IN)
    const story = 'recordings/paging.har'
    expect(sandgate('replay', story, '--', process.execPath, 'sign-in.mjs')).toContain('token Bearer')
    const script = `import { replay } from 'sandgate'
const tape = await replay('${story}')
process.env.SANDGATE_URL = tape.url
await import('./sign-in.mjs')
console.log((await tape.close()).live)`
    project.write('library.mjs', script)
    expect(node('library.mjs')).toBe('token Bearer\n1\n')
  })

  it('prints a token and makes a call, of what it runs itself', async () => {
    const port = await freePort()
    const serve = `node_modules/.bin/sandgate serve --store memory --quiet --port ${port} --operator-port 0`
    const { code, output } = await project.shell(
      `export SANDGATE_URL=http://127.0.0.1:${port}
${serve} > served & until grep -q listening served; do sleep 0.1; done
SANDGATE_TOKEN=$(node_modules/.bin/sandgate token) node_modules/.bin/sandgate call payments.fund amount=5077 --quiet
kill $!`,
    )
    expect(output).toMatch(/"amount":5077.*"outcome":"success"/)
    expect(code).toBe(0)
  })

  it('replays any session that it has recorded, where nothing but the package is', async () => {
    const sandgate = createRequire(join(project.directory, 'x.js'))('sandgate') as typeof library
    const { url } = await frontDoor()
    const home = process.cwd()
    process.chdir(project.directory)
    try {
      await fc.assert(
        fc.asyncProperty(scripts, async (all) => {
          const recorded: (readonly Said[])[] = []
          const recording = await sandgate.record({ upstream: url, out: 'any.har', mode: 'all' })
          for (const script of all) recorded.push(await run(targetAt(recording.url), script))
          await recording.finish()
          const tape = await sandgate.replay('any.har')
          for (const [i, script] of all.entries())
            expect(await run(targetAt(tape.url), script)).toEqual(recorded[i])
          expect(await tape.close()).toMatchObject({ missed: 0, unused: [] })
        }),
        { numRuns: runs(4) },
      )
    } finally {
      process.chdir(home)
    }
  })

  it('is one library, however it is loaded', () => {
    const script = `import { createRequire } from 'node:module'
import * as imported from 'sandgate'
const required = createRequire(import.meta.url)('sandgate')
const { CassetteError, replay } = required
const failure = await imported.replay('nowhere.har').catch((error) => error)
console.log(Object.keys(imported).sort().join(), Object.keys(required).sort().join())
console.log(imported.CassetteError === CassetteError, failure instanceof CassetteError, replay === imported.replay)`
    project.write('one.mjs', script)
    const names = 'CassetteError,record,replay'
    expect(node('one.mjs')).toBe(`${names} ${names}\ntrue true true\n`)
  })

  it('lets a program end that has forgotten to close it, unless it is told to keep it alive', async () => {
    const forgotten = `import { record, replay } from 'sandgate'
const tape = await replay('recordings/paging.har', { ref: process.argv[2] === 'ref' })
const recording = await record({ mode: 'all', upstream: tape.url, out: process.argv[2] + '.har' })
const body = new URLSearchParams({ client_id: 'key_demo', client_secret: 'any' })
const { status } = await fetch(recording.url + '/auth/token', { method: 'POST', body })
console.log(status)`
    project.write('forgotten.mjs', forgotten)
    expect(await project.shell('timeout 60 node forgotten.mjs unref')).toEqual({ code: 0, output: '200\n' })
    const lives = 'until grep -q 200 told; do sleep 0.1; done; sleep 2; kill $! && echo lives'
    expect(await project.shell(`: > told; node forgotten.mjs ref > told & ${lives}`)).toEqual({
      code: 0,
      output: 'lives\n',
    })
  })

  it('has types for every way in which a compiler looks for them', async () => {
    const { code, output } = await project.shell(
      `${join(process.cwd(), TOOLS, '.bin/attw')} ${project.tarball} --format ascii --no-color`,
    )
    expect(output).toContain('No problems found')
    expect(code).toBe(0)
  })

  it.each([
    ['nodenext', 'nodenext', ['typed.mts', 'typed.cts']],
    ['bundler', 'esnext', ['typed.ts']],
  ])('is typed as a whole, under %s and without the types of Node', async (resolution, module, files) => {
    for (const file of files) project.write(file, TYPED)
    // The libraries of the language are not what is judged.
    const flags = `--noEmit --skipDefaultLibCheck --strict --exactOptionalPropertyTypes --target es2022 --types '' --module ${module}`
    const tsc = `${join(process.cwd(), 'node_modules/.bin/tsc')} ${flags} --moduleResolution ${resolution}`
    expect(await project.shell(`${tsc} ${files.join(' ')}`)).toEqual({ code: 0, output: '' })
  })
})

/** The files of a recipe of docs/runners.md, and the command that follows them. */
function recipe(title: string) {
  const guide = readFileSync('docs/runners.md', 'utf8')
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? ''
  const [, file, text] = /^`([\w.-]+)`(?:,[^\n]*)?:\n\n```\w+\n([\s\S]*?)```/m.exec(section) ?? []
  const [, command] = /```sh\n([\s\S]*?)```/.exec(section) ?? []
  return { file, text, command }
}

describe('the recipe for', () => {
  it.each([
    ['Vitest', /1 passed/],
    ['Jest', /2 passed/],
    ['node:test', /pass 1/],
    ['pytest', /1 passed[\s\S]*served 2, live 1, repeated 0|1 passed[\s\S]*served 1, live 1, repeated 1/],
  ])('%s runs as it stands', async (title, passed) => {
    const { file, text, command } = recipe(title)
    project.write(file ?? '', text ?? '')
    const { code, output } = await project.shell(command ?? 'false')
    expect(output).toMatch(passed)
    expect(code).toBe(0)
  })

  it.each(['JUnit', 'Go', 'PHPUnit'])('%s says that it is not run here', (title) => {
    const guide = readFileSync('docs/runners.md', 'utf8')
    expect(guide.split(/^## /m).find((text) => text.startsWith(`${title}\n`))).toContain('\nNot run here.')
  })
})

const SIGN_IN = `const body = new URLSearchParams({ client_id: 'key_demo', client_secret: 'any' })
const response = await fetch(process.env.SANDGATE_URL + '/auth/token', { method: 'POST', body })
console.log('token', (await response.json()).token_type)
`

/** Every name of the library, at its type. */
const TYPED = `import { CassetteError, record, replay, type Ledger, type MissReport, type Recorded, type RecordMode, type ReplayOptions, type Tape } from 'sandgate'
const options: ReplayOptions = { time: 'freeze', profile: 'strict', ref: true }
const mode: RecordMode = 'none'
export async function used(): Promise<number> {
  const tape: Tape = await replay(['a.har'], options)
  const misses: readonly MissReport[] = tape.misses()
  const ledger: Ledger = await tape.close()
  const recording = await record({ out: 'a.har', mode })
  const { recorded } = await recording.finish()
  const kept: Recorded | undefined = recorded
  const error: Error = new CassetteError('missing', 'a.har', 'is missing')
  await using closed = await replay('b.har')
  return ledger.missed + misses.length + (kept?.exchanges ?? 0) + error.message.length + closed.url.length
}
`
