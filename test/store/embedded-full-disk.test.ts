import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { type CapUsage, type StoreHealth, StoreUnavailable, type WindowState } from '../../src/store/store.ts'
import { runs } from '../support/effort.ts'
import { temporaryDirectories, usedBytes } from '../support/store-directory.ts'
import { Refusal, type StoreProcess, storeProcesses } from '../support/store-process.ts'
import {
  admit,
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
const start = storeProcesses()
const startLasting = storeProcesses(afterAll)

let lasting: StoreProcess | undefined
/** One process for all tests that close what they have opened, and take their limit back. */
function shared(): StoreProcess {
  lasting ??= startLasting()
  return lasting
}

async function openChild(path: string): Promise<StoreProcess> {
  const child = start()
  await child.call('open', path)
  return child
}

async function attempt(child: StoreProcess, argument: object): Promise<string> {
  try {
    return await child.call<string>('one', argument)
  } catch (error) {
    if (error instanceof Refusal) return error.refused.name
    throw error
  }
}

/** Lets a few more pages in and fills them; returns what was settled and what was refused. */
async function fill(child: StoreProcess, path: string): Promise<{ settled: string[]; refused: string[] }> {
  expect(await attempt(child, { key: 'key-first' })).toBe('settled')
  child.limitFileSize(statSync(join(path, 'data.mdb')).size + 20_000)
  const settled = ['key-first']
  const refused: string[] = []
  for (let n = 0; refused.length < 3; n++) {
    const keys = Array.from({ length: 4 }, (_, m) => `key-${n}-${m}`)
    const results = await Promise.all(keys.map((key) => attempt(child, { key, bytes: 3_000 })))
    for (const [m, result] of results.entries()) {
      const kept = result === 'settled' ? settled : refused
      kept.push(keys[m] ?? '')
    }
    expect(new Set(results)).not.toContain('running')
  }
  return { settled, refused }
}

const requests = fc.array(fc.array(fc.nat({ max: 40_000 }), { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 8,
})

async function recovered(child: StoreProcess): Promise<void> {
  await expect.poll(async () => (await child.call<StoreHealth>('health')).writable).toBe(true)
}

describe.runIf(process.platform === 'linux')('a full disk', () => {
  it('refuses writes with nothing executed, goes on reading, and recovers by itself', async () => {
    const path = directory()
    const child = shared()
    await child.call('open', path)
    const { settled, refused } = await fill(child, path)
    expect(await child.call<StoreHealth>('health')).toMatchObject({ writable: false })
    expect(await child.call<CapUsage>('usage')).toMatchObject({ used: settled.length, reserved: 0 })
    expect(await attempt(child, { key: settled[0] })).toBe('stored')
    expect(await child.call('record', settled[0])).toBe(settled[0])
    expect(await child.call<WindowState>('take')).toMatchObject({ full: false })
    for (const key of refused) expect(await child.call('record', key)).toBeUndefined()

    child.limitFileSize('unlimited')
    await recovered(child)
    for (const key of refused) expect(await attempt(child, { key })).toBe('settled')
    expect(await child.call<CapUsage>('usage')).toMatchObject({
      used: settled.length + refused.length,
      reserved: 0,
    })
    await child.call('close')

    const store = await openEmbeddedStore({ path })
    expect(await spent(store, NOON, demand(0, 1e9))).toEqual([settled.length + refused.length, 0])
    await store.close()
  })

  it('wherever it ends is met before LMDB writes: nothing is on stderr, and what was acknowledged is there', async () => {
    let settled = 0
    let refused = 0
    const property = fc.asyncProperty(
      fc.integer({ min: -60_000, max: 400_000 }),
      requests,
      async (at, batches) => {
        const path = directory()
        const child = shared()
        await child.call('open', path)
        expect(await attempt(child, { key: 'first', bytes: 9_000 })).toBe('settled')
        child.limitFileSize(Math.max(4_096, usedBytes(join(path, 'data.mdb')) + at))
        const kept = ['first']
        for (const [n, batch] of batches.entries()) {
          const keys = batch.map((_, m) => `key-${n}-${m}`)
          const results = await Promise.all(keys.map((key, m) => attempt(child, { key, bytes: batch[m] })))
          for (const [m, result] of results.entries()) {
            expect(result).toMatch(/^(settled|StoreUnavailable)$/)
            if (result === 'settled') kept.push(keys[m] ?? '')
          }
          settled += results.filter((result) => result === 'settled').length
          refused += results.filter((result) => result !== 'settled').length
        }
        for (const key of kept) expect(await child.call('record', key)).toBe(key)
        await child.call('close')
        child.limitFileSize('unlimited')
        await child.call('open', path)
        for (const key of kept) expect(await attempt(child, { key })).toBe('stored')
        expect(await child.call<CapUsage>('usage')).toMatchObject({ used: kept.length, reserved: 0 })
        await child.call('close')
        expect(child.stderr()).toBe('')
      },
    )
    const either: [number, number[][]][] = [
      [-1, [[100]]],
      [400_000, [[100]]],
    ]
    await fc.assert(property, { numRuns: runs(60), examples: either })
    // Both happen, or the property would say little.
    expect(Math.min(settled, refused)).toBeGreaterThan(0)
  })

  it('lets no remote work begin', async () => {
    const path = directory()
    const child = await openChild(path)
    await fill(child, path)
    expect(await attempt(child, { key: 'remote-1', effect: 'remote' })).toBe('StoreUnavailable')
    await child.kill()
    const store = await openEmbeddedStore({ path })
    expect((await permitFor(store, { claim: claim({ key: 'remote-1' }) })).takeover).toBe(false)
    await store.close()
  })

  it('skips the usage history and nothing else', async () => {
    const path = directory()
    const child = shared()
    await child.call('open', path)
    expect(await attempt(child, { key: 'key-first' })).toBe('settled')
    await child.call('addHistory', {})
    child.limitFileSize(statSync(join(path, 'data.mdb')).size + 40_000)
    // Far more than there is room for, while a settlement still fits.
    await expect(child.call('addHistory', { operations: 5_000 })).rejects.toMatchObject({
      refused: { name: 'StoreUnavailable' },
    })
    expect(await child.call<StoreHealth>('health')).toEqual({ writable: true })
    expect(await attempt(child, { key: 'key-second' })).toBe('settled')
    expect(await child.call('history', 'demo')).toHaveLength(1)
    child.limitFileSize('unlimited')
    await child.call('addHistory', { operations: 5_000 })
    expect(await child.call('history', 'demo')).toHaveLength(5_000)
    expect(await child.call<CapUsage>('usage')).toMatchObject({ used: 2, reserved: 0 })
    await child.call('close')
  })

  it.each([
    ['with a page or two to write on', (size: number) => size],
    ['without one', () => 4096],
  ])('at a start is read from, %s, and recovers by itself', async (_, limitOf) => {
    const path = directory()
    const first = await openChild(path)
    expect(await attempt(first, { key: 'before' })).toBe('settled')
    await first.kill()
    const child = start()
    child.limitFileSize(limitOf(statSync(join(path, 'data.mdb')).size))
    expect(await child.call('open', path)).toBe('opened')
    expect(await child.call('record', 'before')).toBe('before')
    expect(await attempt(child, { key: 'before' })).toBe('stored')
    for (let n = 0; n < 3; n++) {
      if ((await attempt(child, { key: `full-${n}`, bytes: 200_000 })) === 'StoreUnavailable') break
      expect(n).toBeLessThan(2)
    }
    expect(await child.call<StoreHealth>('health')).toMatchObject({ writable: false })
    // Whoever else starts there now may only read, or is told that somebody is there.
    child.limitFileSize('unlimited')
    await recovered(child)
    expect(await attempt(child, { key: 'after' })).toBe('settled')
    await expect(openEmbeddedStore({ path })).rejects.toMatchObject({ reason: 'in-use' })
    await child.kill()
    const again = await openEmbeddedStore({ path })
    expect((await admit(again, { claim: claim({ key: 'after' }) })).kind).toBe('stored')
    await again.close()
  })

  it('has room for deletions, resets and settlements below what is kept for them, and for nothing new', async () => {
    const path = directory()
    const settled = await openEmbeddedStore({ path })
    await put(settled, [record('acc_1', 1)])
    await finish(settled, await permitFor(settled, { claim: claim() }), {})
    await settled.close()
    const store = await openEmbeddedStore({ path, reserveBytes: 2 ** 50 })
    expect(store.health()).toMatchObject({ writable: false, reason: expect.stringContaining('reserveBytes') })
    await expect(permitFor(store, { claim: claim() })).rejects.toThrow(/reserveBytes/)
    expect(await store.get('account', 'tn_demo', 'acc_1', NOON)).toBe(1)
    expect(await store.sweep(NOON + RETENTION_MS)).toBe(1)
    await store.resetData({ partner: 'demo', tenant: 'tn_demo' }, ['accounts'])
    expect(await store.get('account', 'tn_demo', 'acc_1', NOON)).toBeUndefined()
    expect(await store.sweep(NOON)).toBeGreaterThan(0)
    expect(store.stats(NOON).disk?.freeBytes).toBeGreaterThan(0)
    await store.close()
  })

  it('keeps the usage history out of what is reserved for work that has begun', async () => {
    const store = await openEmbeddedStore({ path: directory(), reserveBytes: Number.MAX_SAFE_INTEGER })
    await expect(store.addHistory([], NOON)).rejects.toThrow(StoreUnavailable)
    await store.close()
  })

  it.each([
    ['of a new directory', false],
    ['of a directory that has its lock file already', true],
  ])('at the start %s is an error that says so, and the process lives', async (_, locked) => {
    const path = directory()
    const child = shared()
    if (locked) {
      await (await openEmbeddedStore({ path })).close()
      rmSync(join(path, 'data.mdb'))
    }
    child.limitFileSize(4_096)
    await expect(child.call('open', path)).rejects.toMatchObject({
      refused: { name: 'StoreOpenError', reason: 'unusable', message: expect.stringContaining('free space') },
    })
    child.limitFileSize('unlimited')
    expect(await child.call('open', path)).toBe('opened')
    await child.call('close')
  })
})
