import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { openLmdb } from '../../src/store/lmdb-backing.ts'
import { damageOf } from '../../src/store/lmdb-damage.ts'
import { SPOILT_FILES } from '../support/effort.ts'
import { usedBytes } from '../support/store-directory.ts'
import { Refusal, type StoreProcess, storeProcesses } from '../support/store-process.ts'
import { claim, finish, NOON, permitFor, put, record } from '../support/store-work.ts'

const PAGE = 4096
const start = storeProcesses()
const root = mkdtempSync(join(tmpdir(), 'sandgate-damaged-'))
const [small, large] = [join(root, 'small'), join(root, 'large')]

/** Two stores: one as after its first start, and one with several levels, values on pages of their own and free pages. */
beforeAll(async () => {
  await (await openEmbeddedStore({ path: small })).close()
  const store = await openEmbeddedStore({ path: large })
  const body = (n: number) => 'x'.repeat(n % 5 === 0 ? 9000 : 40 * (n % 9))
  for (let batch = 0; batch < 3; batch++) {
    const numbers = Array.from({ length: 60 }, (_, n) => batch * 60 + n)
    await put(
      store,
      numbers.map((n) => record(`acc_${n}`, body(n))),
    )
    for (const n of numbers.slice(0, 20))
      await finish(store, await permitFor(store, { claim: claim({ key: `key-${n}` }) }))
  }
  const owner = { partner: 'demo', tenant: 'tn_demo' }
  await store.resetData(owner, ['accounts'])
  await store.sweep(NOON)
  await put(store, [record('acc_last', body(5))])
  await store.close()
})
afterAll(() => rmSync(root, { recursive: true }))

/** Without the room that is made behind the last page, where nothing can be spoilt. */
function bytesOf(store: string): Buffer {
  const path = join(store, 'data.mdb')
  return readFileSync(path).subarray(0, usedBytes(path))
}

/** A way to spoil a file of `size` bytes. */
type Spoil = { readonly what: string; readonly on: (bytes: Buffer) => Buffer }

const at = fc.nat({ max: 2 ** 30 })
/** In the meta pages and in the headers and pointers of pages, where LMDB looks first, and anywhere. */
const place = fc.oneof(
  fc.nat({ max: 176 }),
  fc.nat({ max: 176 }).map((n) => PAGE + n),
  fc.tuple(at, fc.nat({ max: 60 })).map(([page, n]) => (page % 400) * PAGE + n),
  at,
)
const patch = (bytes: Buffer, position: number, with_: Uint8Array): Buffer => {
  const changed = Buffer.from(bytes)
  changed.set(
    with_.subarray(0, Math.max(0, bytes.length - (position % bytes.length))),
    position % bytes.length,
  )
  return changed
}
const spoils: fc.Arbitrary<Spoil> = fc.oneof(
  at.map((n) => ({ what: `cut ${n}`, on: (bytes: Buffer) => bytes.subarray(0, n % bytes.length) })),
  fc.tuple(place, fc.nat({ max: 7 })).map(([n, bit]) => ({
    what: `bit ${bit} of ${n}`,
    on: (bytes: Buffer) => patch(bytes, n, Uint8Array.of((bytes[n % bytes.length] ?? 0) ^ (1 << bit))),
  })),
  fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 12 })).map(([n, garbage]) => ({
    what: `garbage ${garbage} at ${n}`,
    on: (bytes: Buffer) => patch(bytes, n, garbage),
  })),
  fc
    .tuple(at, fc.integer({ min: 1, max: 40_000 }), fc.constantFrom(0, 0xff, 0x41))
    .map(([n, length, byte]) => ({
      what: `${length} times ${byte} at ${n}`,
      on: (bytes: Buffer) => patch(bytes, n, new Uint8Array(length).fill(byte)),
    })),
  fc.tuple(at, at).map(([from, to]) => ({
    what: `page ${from} over ${to}`,
    on: (bytes: Buffer) => {
      const pages = Math.floor(bytes.length / PAGE)
      const source = (from % pages) * PAGE
      return patch(bytes, (to % pages) * PAGE, bytes.subarray(source, source + PAGE))
    },
  })),
  fc.uint8Array({ minLength: 1, maxLength: 5000 }).map((more) => ({
    what: `${more.length} bytes more`,
    on: (bytes: Buffer) => Buffer.concat([bytes, more]),
  })),
)

/** The test's own: it is killed at the end of each. */
let child: StoreProcess | undefined
afterEach(() => {
  child = undefined
})
let made = 0

/** What became of a store with this data file: `used`, or why it was refused. A signal is an error of the call. */
async function outcomeOf(bytes: Buffer): Promise<string> {
  child ??= start()
  const path = join(root, `try-${made++}`)
  mkdirSync(path)
  writeFileSync(join(path, 'data.mdb'), bytes)
  writeFileSync(join(path, 'signing-keys.json'), '{}')
  try {
    return await child.call<string>('useAll', path)
  } catch (error) {
    if (!(error instanceof Refusal)) {
      child = undefined
      throw error
    }
    return `${error.refused.name} ${error.refused.reason}: ${error.refused.message}`
  } finally {
    rmSync(path, { recursive: true })
  }
}

describe('a data file', () => {
  it('that is whole is not damaged, after all that the store does', () => {
    for (const store of [small, large]) expect(damageOf(join(store, 'data.mdb'))).toBeUndefined()
  })

  it('that was cut, wherever, is refused with a sentence; only what nothing uses may be missing', async () => {
    const bytes = bytesOf(large)
    const sizes = [0, 1, 23, 31, 167, 168, PAGE - 1, PAGE, PAGE + 167, 2 * PAGE - 1, 2 * PAGE, 2 * PAGE + 1]
    for (let part = 1; part < 12; part++) sizes.push(Math.floor((bytes.length * part) / 12))
    for (const size of sizes)
      expect(await outcomeOf(bytes.subarray(0, size)), `${size} of ${bytes.length}`).toMatch(
        /^StoreOpenError damaged: .*data\.mdb is damaged: .*sandgate data restore/,
      )
  })

  it('that was spoilt in any way ends no process by a signal: it is refused with a sentence, or is used', async () => {
    const files = [bytesOf(small), bytesOf(large), bytesOf(large)]
    const outcomes = new Map<string, number>()
    const property = fc.asyncProperty(fc.nat({ max: 2 }), spoils, async (which, { on }) => {
      const outcome = await outcomeOf(on(files[which] ?? Buffer.alloc(0)))
      const kind = outcome.split(':')[0] ?? ''
      outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
      expect(kind).toMatch(/^(used|StoreOpenError (damaged|newer-format))$/)
    })
    await fc.assert(property, { numRuns: SPOILT_FILES })
    // Both happen, or the property would say little.
    expect(outcomes.get('used')).toBeGreaterThan(0)
    expect(outcomes.get('StoreOpenError damaged')).toBeGreaterThan(SPOILT_FILES / 4)
  })

  it('of another program, of zeros or with nothing in it is refused; beside nothing else an empty one is begun', async () => {
    const others = [Buffer.from('SQLite format 3\0'.padEnd(9000)), Buffer.alloc(500_000), Buffer.alloc(0)]
    for (const bytes of others) expect(await outcomeOf(bytes)).toMatch(/^StoreOpenError damaged/)
    const path = join(root, 'first')
    mkdirSync(path)
    writeFileSync(join(path, 'data.mdb'), '')
    await (await openEmbeddedStore({ path })).close()
  })

  it('of another program that uses LMDB is refused, and stays as it is', async () => {
    const path = join(root, 'others')
    mkdirSync(path)
    const db = openLmdb(path)
    await db.put(Buffer.from('key'), Buffer.from('value'))
    await db.close()
    const before = readFileSync(join(path, 'data.mdb'))
    await expect(openEmbeddedStore({ path })).rejects.toMatchObject({
      reason: 'damaged',
      message: expect.stringContaining('another program'),
    })
    expect(readFileSync(join(path, 'data.mdb')).equals(before)).toBe(true)
  })

  it('whose lock file is garbage, cut or missing is used all the same', async () => {
    for (const lock of ['', 'x', 'garbage '.repeat(1536), undefined]) {
      const path = join(root, `lock-${made++}`)
      mkdirSync(path)
      copyFileSync(join(large, 'data.mdb'), join(path, 'data.mdb'))
      if (lock !== undefined) writeFileSync(join(path, 'lock.mdb'), lock)
      child ??= start()
      expect(await child.call('useAll', path)).toBe('used')
    }
  })

  it('of a gateway that runs is not called damaged while it changes', async () => {
    const path = join(root, `busy-${made++}`)
    const owner = start()
    await owner.call('open', path)
    void owner.call('load')
    await owner.acknowledges(50)
    for (let n = 0; n < 10; n++)
      await expect(openEmbeddedStore({ path })).rejects.toMatchObject({ reason: 'in-use' })
    await owner.kill()
    truncateSync(join(path, 'data.mdb'), 3 * PAGE)
    await expect(openEmbeddedStore({ path })).rejects.toMatchObject({ reason: 'damaged' })
  })
})
