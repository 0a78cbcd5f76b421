import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { cachedKey } from '../../src/tokens/cached-key.ts'
import { type ActiveKey, KEY_FILE, readKeyFile } from '../../src/tokens/key-file.ts'
import { userCache } from '../../src/user-cache.ts'
import { keepSigningKey } from '../support/signing-key.ts'
import { temporaryDirectory } from './fixtures.ts'

/** A directory for this user alone, with the key that all tests have in it. */
function cache(): string {
  const directory = temporaryDirectory()
  keepSigningKey(directory)
  return directory
}

/** A key that was made before. */
function madeKey(): ActiveKey {
  const kept = readKeyFile(cache())
  if (!kept) throw new Error('there is a key for all tests')
  return kept.active
}

const never = () => Promise.reject(new Error('no key had to be made'))

describe('the key of a replay', () => {
  it('is kept for the next one, readable by this user alone', async () => {
    const directory = temporaryDirectory()
    const made = madeKey()
    expect(await cachedKey(async () => made, directory)).toBe(made)
    expect(statSync(join(directory, KEY_FILE)).mode & 0o777).toBe(0o600)
    expect((await cachedKey(never, directory)).kid).toBe(made.kid)
    expect(readdirSync(directory)).toEqual([KEY_FILE])
  })

  it.each([
    ['is damaged', (path: string) => writeFileSync(path, '{"version":1')],
    ['can be read by others', (path: string) => chmodSync(path, 0o644)],
    [
      'is a link',
      (path: string) => {
        const target = join(cache(), KEY_FILE)
        rmSync(path)
        symlinkSync(target, path)
      },
    ],
    [
      'is a directory',
      (path: string) => {
        rmSync(path)
        mkdirSync(path)
      },
    ],
  ])('is made anew where the kept one %s, and nothing fails', async (_, spoil) => {
    const directory = cache()
    const made = madeKey()
    spoil(join(directory, KEY_FILE))
    expect(await cachedKey(async () => made, directory)).toBe(made)
  })

  it('is replaced where the kept one could be read by others', async () => {
    const directory = cache()
    chmodSync(join(directory, KEY_FILE), 0o644)
    await cachedKey(async () => madeKey(), directory)
    expect(statSync(join(directory, KEY_FILE)).mode & 0o777).toBe(0o600)
  })

  it('is made for this replay alone where none can be kept', async () => {
    const made = madeKey()
    vi.stubEnv('XDG_CACHE_HOME', '/proc/nowhere')
    expect(await cachedKey(async () => made)).toBe(made)
    vi.unstubAllEnvs()
    expect(await cachedKey(async () => made, '/proc/nowhere')).toBe(made)
  })
})

describe('the cache of a user', () => {
  it('is made for that user alone', () => {
    const home = temporaryDirectory()
    vi.stubEnv('XDG_CACHE_HOME', home)
    const directory = userCache('replay-key')
    expect(directory).toBe(join(home, 'sandgate/replay-key'))
    expect(statSync(directory ?? '').mode & 0o777).toBe(0o700)
    vi.unstubAllEnvs()
  })

  it('is none where others can write, where a link leads away, and where nothing can be written', () => {
    const home = temporaryDirectory()
    mkdirSync(join(home, 'sandgate'))
    mkdirSync(join(home, 'sandgate/open'))
    chmodSync(join(home, 'sandgate/open'), 0o777)
    symlinkSync(temporaryDirectory(), join(home, 'sandgate/link'))
    writeFileSync(join(home, 'sandgate/file'), '')
    vi.stubEnv('XDG_CACHE_HOME', home)
    expect(['open', 'link', 'file'].map((name) => userCache(name))).toEqual([undefined, undefined, undefined])
    vi.stubEnv('XDG_CACHE_HOME', '/proc/nowhere')
    expect(userCache('replay-key')).toBeUndefined()
    expect(existsSync('/proc/nowhere')).toBe(false)
    vi.unstubAllEnvs()
    expect(readFileSync(join(home, 'sandgate/file'), 'utf8')).toBe('')
  })
})
