import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandgate } from '../support/command.ts'

const home = mkdtempSync(join(tmpdir(), 'sandgate-ready-'))
const code = join(home, 'sandgate/code-replay')
const key = join(home, 'sandgate/replay-key/signing-keys.json')
const KID = `fetch(process.env.SANDGATE_URL + '/.well-known/jwks.json').then((r) => r.json()).then(({ keys }) => console.log(keys[0].kid))`

/** Replays, and returns the id of the key that signs its tokens. */
async function kidOf(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const args = ['replay', 'recordings/paging.har', '--', process.execPath, '-e', KID]
  // Nothing of the tape is asked for, so it ends with 1.
  const { out } = await sandgate('.', args, { XDG_CACHE_HOME: home, ...env })
  return out.trim().split('\n').at(-1) ?? ''
}

const codeFile = () => join(code, readdirSync(code)[0] ?? '')

let first: string
beforeAll(async () => {
  first = await kidOf()
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('a replay', () => {
  it('leaves its key and its compiled code to the next one, for this user alone', async () => {
    expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(statSync(key).mode & 0o777).toBe(0o600)
    expect(statSync(code).mode & 0o777).toBe(0o700)
    expect(readdirSync(code)).toHaveLength(1)
    expect(await kidOf()).toBe(first)
  })

  it.runIf(process.version.startsWith('v20'))(
    'compiles anew where the kept code is damaged, of another program, or open to others',
    async () => {
      const good = readFileSync(codeFile())
      const { mtimeMs } = statSync(codeFile())
      await kidOf()
      // It was good, so it was not written again.
      expect(statSync(codeFile()).mtimeMs).toBe(mtimeMs)
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

  it('needs no place to keep anything', async () => {
    const kid = await kidOf({ XDG_CACHE_HOME: '/proc/nowhere' })
    expect(kid).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(kid).not.toBe(first)
  })
})
