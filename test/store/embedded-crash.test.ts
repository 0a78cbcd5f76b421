import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import type { Store } from '../../src/store/store.ts'
import { STORE_KILLS } from '../support/effort.ts'
import { temporaryDirectories } from '../support/store-directory.ts'
import { storeProcesses } from '../support/store-process.ts'
import { admit, claim, demand, NOON, spent } from '../support/store-work.ts'

const directory = temporaryDirectories()
const start = storeProcesses()
const cap = demand(0, 1e9)

async function recordedKeys(store: Store): Promise<Set<string>> {
  const page = await store.page<string>('account', 'tn_demo', { limit: 1e6 }, NOON)
  return new Set(page.items)
}

it('kill -9 under load loses nothing acknowledged, and the caps are exact', async () => {
  const path = directory()
  const acknowledged = new Set<string>()
  let takenOver = 0
  for (let round = 0; round < STORE_KILLS; round++) {
    const child = start()
    await child.call('open', path)
    await child.call('load')
    // Counted in what it has done, so that a busy machine is not killed before it has done anything.
    await child.acknowledges(12 + Math.random() * 60)
    await sleep(Math.random() * 5)
    await child.kill()
    for (const key of child.acknowledged) acknowledged.add(key)

    const store = await openEmbeddedStore({ path })
    const recorded = await recordedKeys(store)
    for (const key of acknowledged) {
      expect((await admit(store, { claim: claim({ key }) })).kind).toBe('stored')
      expect(recorded).toContain(key)
    }
    // One record and one unit of the cap per finished key, acknowledged or not: they are one commit.
    const [used, reserved] = await spent(store, NOON, cap)
    expect(used).toBe(recorded.size)
    // What is reserved is what an upstream may have done, and nothing else.
    for (const key of child.begun) {
      const verdict = await admit(store, { claim: claim({ key }), effect: 'remote' })
      const stored = verdict.kind === 'stored'
      expect(stored).toBe(recorded.has(key))
      if (verdict.kind === 'admitted' && verdict.permit.takeover) takenOver++
    }
    expect(reserved).toBe(takenOver)
    await store.close()
  }
  expect(acknowledged.size).toBeGreaterThan(50)
})
