import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'sandgate-pack-'))
const project = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** What npx runs, without the time that npx itself takes. */
const sandgate = (...args: string[]) => run('node_modules/.bin/sandgate', ...args)

/** The package as a partner gets it: packed, and installed into an empty project. */
beforeAll(() => {
  // Without its scripts: what was built before the tests is what is packed, and other tests go on running it.
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory], {
    encoding: 'utf8',
  })
  writeFileSync(join(directory, 'package.json'), '{ "name": "partner", "private": true, "type": "module" }')
  const [tarball] = readdirSync(directory).filter((name) => name.endsWith('.tgz'))
  run('npm', 'install', '--no-audit', '--no-fund', '--omit=dev', '--prefer-offline', `./${tarball}`)
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('the installed package', () => {
  it('runs as a command, and says its version', () => {
    expect(run('npx', '--no-install', 'sandgate', '--version')).toBe(`${project.version}\n`)
  })

  it('can open its store: the native part is there', () => {
    const lmdb = `import { open } from 'lmdb'; const db = open({ path: 'data' }); await db.put('a', 1); console.log(db.get('a'))`
    expect(run(process.execPath, '--input-type=module', '-e', lmdb)).toBe('1\n')
  })

  it('shows the cassettes that it ships', () => {
    const recordings = join(directory, 'node_modules/sandgate/recordings')
    const shipped = readdirSync(recordings).filter((name) => name.endsWith('.har'))
    expect(shipped.length).toBeGreaterThan(0)
    for (const name of shipped)
      expect(sandgate('cassette', 'show', join(recordings, name))).toMatch(/interactions/)
  })

  it('is a library as well', () => {
    const script = `import { record, replay } from 'sandgate'; console.log(typeof record, typeof replay)`
    expect(run(process.execPath, '--input-type=module', '-e', script)).toBe('function function\n')
  })

  it('replays what it ships, by its command and from a program', () => {
    const story = 'node_modules/sandgate/recordings/paging.har'
    writeFileSync(join(directory, 'sign-in.mjs'), SIGN_IN)
    const replayed = sandgate('replay', story, '--', process.execPath, 'sign-in.mjs')
    expect(replayed).toContain('token Bearer')
    const script = `import { replay } from 'sandgate'
const tape = await replay('${story}')
process.env.SANDGATE_URL = tape.url
await import('./sign-in.mjs')
console.log((await tape.close()).live)`
    writeFileSync(join(directory, 'library.mjs'), script)
    expect(run(process.execPath, 'library.mjs')).toBe('token Bearer\n1\n')
  })
})

const SIGN_IN = `const body = new URLSearchParams({ client_id: 'key_demo', client_secret: 'any' })
const response = await fetch(process.env.SANDGATE_URL + '/auth/token', { method: 'POST', body })
console.log('token', (await response.json()).token_type)
`
