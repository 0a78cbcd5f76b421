import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { encodeNumber, installationName, quotaName } from '../../src/store/keyspace.ts'
import { openLmdb } from '../../src/store/lmdb-backing.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryDirectories } from '../support/store-directory.ts'
import {
  admit,
  answer,
  claim,
  demand,
  finish,
  NOON,
  permitFor,
  put,
  RETENTION_MS,
  record,
  spent,
} from '../support/store-work.ts'

const directory = temporaryDirectories()

async function withStore<T>(path: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openEmbeddedStore({ path })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

describe('the embedded store, opened again', () => {
  it('keeps answers, records, caps and its secret', async () => {
    const path = directory()
    const key = claim()
    const secret = await withStore(path, async (store) => {
      const permit = await permitFor(store, { claim: key, caps: [demand(60)] })
      await finish(store, permit, { records: [record('acc_1', { a: 1 })] })
      return store.secret()
    })
    await withStore(path, async (store) => {
      expect(await admit(store, { claim: key })).toEqual({ kind: 'stored', answer: answer() })
      expect(await store.get('account', 'tn_demo', 'acc_1', NOON)).toEqual({ a: 1 })
      expect(await spent(store)).toEqual([60, 0])
      expect(store.secret()).toEqual(secret)
    })
  })

  it('gives larger fences than ever before', async () => {
    const path = directory()
    let last = 0
    for (let n = 0; n < 3; n++) {
      await withStore(path, async (store) => {
        const { fence } = await permitFor(store, { claim: claim() })
        expect(fence).toBeGreaterThan(last)
        last = fence
      })
    }
  })

  it('has forgotten local work that was not settled, and what it had reserved', async () => {
    const path = directory()
    const key = claim()
    await withStore(path, (store) => permitFor(store, { claim: key, caps: [demand(60)] }))
    await withStore(path, async (store) => {
      expect(await spent(store)).toEqual([0, 0])
      expect(await admit(store, { claim: key })).toMatchObject({
        kind: 'admitted',
        permit: { takeover: false },
      })
    })
  })

  it('knows remote work that was under way as unknown, with its reservation', async () => {
    const path = directory()
    const key = claim()
    const first = await withStore(path, (store) =>
      permitFor(store, { claim: key, effect: 'remote', caps: [demand(60)] }),
    )
    await withStore(path, async (store) => {
      expect(await spent(store)).toEqual([0, 60])
      expect((await admit(store, { claim: { ...key, fingerprint: 'fingerprint-two' } })).kind).toBe('reused')
      const tomorrow = NOON + RETENTION_MS / 2 + 1
      const permit = await permitFor(store, { claim: key, effect: 'remote', caps: [demand(60)] }, tomorrow)
      expect(permit).toMatchObject({ takeover: true, admittedAt: NOON, caps: [demand(60)] })
      expect(permit.fence).toBeGreaterThan(first.fence)
      await finish(store, permit, {}, tomorrow)
    })
    await withStore(path, async (store) => {
      expect(await spent(store)).toEqual([60, 0])
      expect(await spent(store, NOON + RETENTION_MS)).toEqual([0, 0])
    })
  })

  it('commits the reservation of an outcome that nobody learned in time, once', async () => {
    const path = directory()
    const key = claim()
    await withStore(path, (store) => permitFor(store, { claim: key, effect: 'remote', caps: [demand(60)] }))
    const over = NOON + RETENTION_MS
    await withStore(path, async (store) => {
      // The key is used again before the sweep, so two markers of one key are on disk.
      const again = await permitFor(store, { claim: key, effect: 'remote', caps: [demand(5)] }, over)
      expect(again.takeover).toBe(false)
    })
    await withStore(path, async (store) => {
      await store.sweep(over)
      expect(await spent(store)).toEqual([60, 0])
      expect(await spent(store, over)).toEqual([0, 5])
      const third = await permitFor(store, { claim: key, effect: 'remote' }, over)
      expect(third.takeover).toBe(true)
    })
    await withStore(path, async (store) => expect(await spent(store)).toEqual([60, 0]))
  })

  it('reuses the space of what has expired', async () => {
    const path = directory()
    await withStore(path, async (store) => {
      const sizes: number[] = []
      for (let day = 0; day < 6; day++) {
        const now = NOON + day * 1_000
        const records = Array.from({ length: 150 }, (_, n) =>
          record(`acc_${day}_${n}`, 'x'.repeat(2_000), { expiresAt: now + 500 }),
        )
        await put(store, records, now)
        while ((await store.sweep(now + 999)) > 0);
        sizes.push(statSync(join(path, 'data.mdb')).size)
      }
      expect(sizes[5]).toBe(sizes[3])
    })
  })
})

it('a directory of the first format is taken over, with what its partners hold counted', async () => {
  const path = directory()
  const owner = { partner: 'demo', tenant: 'tn_demo' }
  const key = claim()
  const before = await withStore(path, async (store) => {
    await put(store, [
      record('acc_1', 1),
      record('ref', {}, { kind: 'score' }),
      record('wh_1', 1, { kind: 'webhook' }),
    ])
    await finish(store, await permitFor(store, { claim: key }), {})
    return store.dataUsage(owner)
  })
  const db = openLmdb(path)
  db.putSync(Buffer.from(installationName('format')), encodeNumber(Number.POSITIVE_INFINITY, 1))
  for (const { kind } of before)
    db.removeSync(Buffer.from(quotaName(kind, kind === 'keys' ? owner.partner : owner.tenant)))
  await db.close()
  await withStore(path, async (store) => {
    expect(await store.dataUsage(owner)).toEqual(before)
    expect(before.map(({ used }) => Math.sign(used))).toEqual([1, 0, 1, 1])
    expect((await admit(store, { claim: key })).kind).toBe('stored')
    await store.resetData(owner, ['accounts', 'keys'])
    expect(await store.get('account', 'tn_demo', 'acc_1', NOON)).toBeUndefined()
    expect((await admit(store, { claim: key })).kind).toBe('admitted')
  })
})

describe('a directory that cannot be opened', () => {
  it('is refused when a newer version wrote it, before anything is written', async () => {
    const path = directory()
    await withStore(path, async () => undefined)
    const db = openLmdb(path)
    db.putSync(Buffer.from(installationName('format')), encodeNumber(Number.POSITIVE_INFINITY, 3))
    await db.close()
    const before = readFileSync(join(path, 'data.mdb'))
    await expect(openEmbeddedStore({ path })).rejects.toMatchObject({
      name: 'StoreOpenError',
      reason: 'newer-format',
      message: expect.stringContaining('format 3'),
    })
    expect(readFileSync(join(path, 'data.mdb')).equals(before)).toBe(true)
  })

  it.each([
    ['a file stands where the directory should be', async (path: string) => writeFileSync(path, 'hello')],
    ['its data file is no file', (path: string) => mkdir(join(path, 'data.mdb'), { recursive: true })],
    ...['data.mdb', 'lock.mdb'].flatMap((name) =>
      ['/nonexistent/file', name].map((target): [string, (path: string) => Promise<void>] => [
        `its ${name} is a link to ${target}`,
        async (path) => {
          await mkdir(path)
          symlinkSync(target, join(path, name))
        },
      ]),
    ),
    ['its lock file is no file', (path: string) => mkdir(join(path, 'lock.mdb'), { recursive: true })],
  ])('is refused, and the process lives, when %s', async (_, spoil) => {
    const path = directory()
    await spoil(path)
    await expect(openEmbeddedStore({ path })).rejects.toMatchObject({
      name: 'StoreOpenError',
      reason: 'unusable',
    })
  })
})

it('the directory and its files are for their owner alone', async () => {
  const path = directory()
  await withStore(path, async () => {
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(path, 'data.mdb')).mode & 0o077).toBe(0)
    expect(statSync(join(path, 'lock.mdb')).mode & 0o077).toBe(0)
  })
})
