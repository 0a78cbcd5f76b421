import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { inArrivalOrder } from '../../src/store/arrival-order.ts'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { answerName, encodeAnswer, encodeNumber, quotaName } from '../../src/store/keyspace.ts'
import { createLmdbBacking, openLmdb } from '../../src/store/lmdb-backing.ts'
import { EFFORT, STORED_ANSWERS } from '../support/effort.ts'
import { temporaryDirectories } from '../support/store-directory.ts'
import { storeProcesses } from '../support/store-process.ts'
import { NOON } from '../support/store-work.ts'

const directory = temporaryDirectories()
const start = storeProcesses()
const BATCH = 1000

/** A UUID that follows from its number. */
function keyOf(n: number): string {
  const hex = createHash('md5').update(`${n}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** Fills a directory as that many settlements would, a thousand to a commit. */
async function fill(path: string, count: number): Promise<void> {
  const store = await openEmbeddedStore({ path })
  const secret = store.secret()
  await store.close()
  const db = openLmdb(path)
  const backing = inArrivalOrder(createLmdbBacking(db), secret)
  const body = JSON.stringify({
    paymentId: 'pay_0VhYx3kQm4Zq9TtB2nR7wLc1d',
    amount: 5077,
    outcome: 'success',
  })
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, body }
  const value = encodeAnswer(NOON + 86_400_000, 'fingerprint-one', answer)
  for (let n = 0; n < count; n += BATCH) {
    const writes = new Map<string, Buffer>()
    for (let i = n; i < n + BATCH; i++) writes.set(answerName('demo', keyOf(i)), value)
    writes.set(quotaName('keys', 'demo'), encodeNumber(Number.POSITIVE_INFINITY, (n + BATCH) * value.length))
    await backing.write(writes)
  }
  await db.close()
}

/** How long the first opening takes, which nobody has sealed the file for; it leaves a seal. */
async function lookThrough(path: string): Promise<number> {
  const startedAt = performance.now()
  const store = await openEmbeddedStore({ path })
  const ms = performance.now() - startedAt
  await store.close()
  return ms
}

it.runIf(process.platform === 'linux')(
  `${STORED_ANSWERS} finished answers cost a start neither time nor memory in proportion, and all are found`,
  async () => {
    const path = directory()
    const empty = directory()
    await (await openEmbeddedStore({ path: empty })).close()
    await fill(path, STORED_ANSWERS)
    const lookedThrough = await lookThrough(path)
    const [few, many] = [start(), start()]
    const without = await few.call<{ ms: number; mb: number }>('openMeasured', empty)
    const opened = await many.call<{ ms: number; mb: number }>('openMeasured', path)
    const step = Math.max(1, Math.floor(STORED_ANSWERS / 2000))
    const known = Array.from({ length: 2000 }, (_, i) => keyOf(Math.min(i * step, STORED_ANSWERS - 1)))
    const fresh = Array.from({ length: 2000 }, (_, i) => keyOf(STORED_ANSWERS + 1_000_000 + i))
    await many.call('ask', [keyOf(0)])
    const found = await many.call<{ stored: number; us: number }>('ask', known)
    const missed = await many.call<{ stored: number; us: number }>('ask', fresh)
    const missedEmpty = await few.call<{ stored: number; us: number }>('ask', fresh)
    console.info(
      `${STORED_ANSWERS} answers: opened in ${opened.ms.toFixed(0)} ms (empty: ${without.ms.toFixed(0)}; unsealed: ${lookedThrough.toFixed(0)}), ${opened.mb.toFixed(0)} MB beside the file (empty: ${without.mb.toFixed(0)}); a stored key ${found.us.toFixed(0)} us, a new one ${missed.us.toFixed(0)} us (empty: ${missedEmpty.us.toFixed(0)})`,
    )
    expect([found.stored, missed.stored]).toEqual([known.length, 0])
    // Five million take no more: what is in memory of the older ones is two bytes each.
    if (EFFORT === 'soak') expect(opened.ms).toBeLessThan(1000)
    expect(opened.mb).toBeLessThan(EFFORT === 'soak' ? 60 : 30)
  },
)
