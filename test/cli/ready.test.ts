import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandgate } from '../support/command.ts'

const home = mkdtempSync(join(tmpdir(), 'sandgate-ready-'))
const code = join(home, 'sandgate/code-replay')
const key = join(home, 'sandgate/replay-key/signing-keys.json')
const KEYS = 'curl -sS "$SANDGATE_URL/.well-known/jwks.json"'

/** Replays, and returns the id of the key that signs its tokens. */
async function kidOf(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const args = ['replay', 'recordings/paging.har', '--', 'sh', '-c', KEYS]
  // Nothing of the tape is asked for, so it ends with 1.
  const { out } = await sandgate('.', args, { XDG_CACHE_HOME: home, ...env })
  return JSON.parse(out.trim().split('\n').at(-1) ?? '').keys[0].kid
}

const codeFile = () => join(code, readdirSync(code)[0] ?? '')

let first: string
/** The next replay, and when the compiled code was written before and after it. */
let next: { readonly kid: string; readonly writtenMs: readonly [number, number] }
beforeAll(async () => {
  first = await kidOf()
  const writtenMs = () => statSync(codeFile()).mtimeMs
  const before = writtenMs()
  next = { kid: await kidOf(), writtenMs: [before, writtenMs()] }
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('a replay', () => {
  it('leaves its key and its compiled code to the next one, for this user alone', async () => {
    expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(statSync(key).mode & 0o777).toBe(0o600)
    expect(statSync(code).mode & 0o777).toBe(0o700)
    expect(readdirSync(code)).toHaveLength(1)
    expect(next.kid).toBe(first)
  })

  it.runIf(process.version.startsWith('v20'))(
    'compiles anew where the kept code is damaged, of another program, or open to others',
    async () => {
      const good = readFileSync(codeFile())
      // It was good for the second replay, so it was not written again.
      expect(next.writtenMs[1]).toBe(next.writtenMs[0])
      for (const bad of [good.subarray(0, 1000), Buffer.concat([Buffer.alloc(32), good.subarray(32)])]) {
        writeFileSync(codeFile(), bad)
        expect(await kidOf()).toBe(first)
        expect(readFileSync(codeFile()).length).toBeGreaterThan(good.length / 2)
      }
      chmodSync(codeFile(), 0o666)
      expect(await kidOf()).toBe(first)
      expect(statSync(codeFile()).mode & 0o777).toBe(0o600)
    },
  )

  it.runIf(process.version.startsWith('v20'))(
    'keeps the code of several places side by side, and of no more than five',
    () => {
      const places = Array.from({ length: 7 }, (_, n) => join(home, `place-${n}.cjs`))
      for (const [n, place] of places.entries()) writeFileSync(place, `module.exports = ${n}`)
      const script = `const { loadCompiled } = await import(process.env.MODULE)
for (const place of process.argv.slice(1)) loadCompiled(place, 'places')`
      const env = { ...process.env, XDG_CACHE_HOME: home, MODULE: resolve('dist/compiled-code.js') }
      const load = (some: readonly string[]) =>
        execFileSync(process.execPath, ['--input-type=module', '-e', script, ...some], { env })
      const kept = () => readdirSync(join(home, 'sandgate/code-places'))
      load(places.slice(0, 2))
      const both = kept()
      expect(both).toHaveLength(2)
      load(places.slice(2, 3))
      expect(kept()).toEqual(expect.arrayContaining(both))
      load(places)
      expect(kept()).toHaveLength(5)
    },
  )

  it('needs no place to keep anything', async () => {
    const kid = await kidOf({ XDG_CACHE_HOME: '/proc/nowhere' })
    expect(kid).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(kid).not.toBe(first)
  })
})
