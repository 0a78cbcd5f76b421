/**
 * An embedded store in a process of its own, driven by messages, so that a test can kill it, limit it, or start two.
 * Plain JavaScript on the built program: Node 20 runs no TypeScript.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { openEmbeddedStore } from '../../dist/store/embedded.js'

const NOON = Date.UTC(2030, 5, 15, 12)
const cap = { product: 'payments.fund', period: 'day', unit: 'amount', limit: 1e9 }
let store

async function one({ key, effect = 'local', bytes = 300, retentionMs = 86_400_000 }) {
  const claim = { key, fingerprint: 'fingerprint-one', leaseMs: 30_000, retentionMs }
  const admission = { partner: 'demo', refused: false, effect, claim, caps: [{ ...cap, amount: 1 }] }
  const verdict = await store.admit(admission, NOON)
  if (verdict.kind !== 'admitted') return verdict.kind
  const record = { kind: 'account', tenant: 'tn_demo', id: `acc_${key}`, value: key, ifPresent: 'refuse' }
  const result = await store.settle(
    {
      permit: verdict.permit,
      outcome: 'finished',
      answer: { status: 201, headers: {}, body: Buffer.alloc(bytes, 'x') },
      commitCaps: true,
      records: [record],
    },
    NOON,
  )
  return result.kind
}

async function worker(effect) {
  for (;;) {
    const key = randomUUID()
    process.send({ begun: key })
    if ((await one({ key, effect })) === 'settled') process.send({ acknowledged: key })
  }
}

function anonymousMb() {
  return Number(/RssAnon:\s+([0-9]+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
}

const calls = {
  async open(path) {
    store = await openEmbeddedStore({ path })
    return 'opened'
  },
  /** Opens a store and says how long that took and what memory it took beside the mapped file. */
  async openMeasured(path) {
    const before = anonymousMb()
    const startedAt = performance.now()
    store = await openEmbeddedStore({ path })
    const ms = performance.now() - startedAt
    globalThis.gc?.()
    return { ms, mb: anonymousMb() - before }
  },
  /** Asks for each of these keys; how many of them are stored, and the mean time of asking. */
  async ask(keys) {
    const startedAt = performance.now()
    let stored = 0
    for (const key of keys) {
      const claim = { key, fingerprint: 'fingerprint-one', leaseMs: 30_000, retentionMs: 86_400_000 }
      const verdict = await store.admit({ partner: 'demo', effect: 'local', claim, caps: [] }, NOON)
      if (verdict.kind === 'stored') stored++
    }
    return { stored, us: ((performance.now() - startedAt) * 1000) / keys.length }
  },
  one,
  load() {
    for (let n = 0; n < 12; n++) void worker(n % 3 === 0 ? 'remote' : 'local')
  },
  /** Opens a store, lets it do something of everything, and closes it; what a call throws is no matter. */
  async useAll(path) {
    store = await openEmbeddedStore({ path })
    const owner = { partner: 'demo', tenant: 'tn_demo' }
    const uses = [
      () =>
        Promise.all(
          Array.from({ length: 8 }, (_, n) => one({ key: randomUUID(), bytes: 1 + 4000 * (n % 3) })),
        ),
      () => calls.ask(['key-0', 'key-7', 'key-90']),
      () => store.page('account', owner.tenant, { limit: 100 }, NOON),
      () => store.history('demo', 'hours', NOON),
      () => store.dataUsage(owner),
      () => store.resetData(owner, ['accounts', 'keys']),
      () => store.sweep(NOON + 90_000_000),
      () => one({ key: randomUUID(), bytes: 30_000 }),
      () => store.stats(NOON),
    ]
    for (const use of uses)
      await Promise.resolve()
        .then(use)
        .catch(() => {})
    await store.close()
    return 'used'
  },
  health: () => store.health(),
  usage: async () => (await store.usage('demo', [cap], NOON))[0],
  take: () => store.take({ group: 'other', subject: 'partner:demo', limit: 1e6, windowMs: 60_000 }, NOON),
  record: (key) => store.get('account', 'tn_demo', `acc_${key}`, NOON),
  addHistory: ({ partner = 'demo', operations = 1 }) => {
    const counts = Array.from({ length: operations }, (_, n) => ({
      start: NOON,
      operation: `operation-${n}`,
      requests: 1,
      rateLimited: 0,
      refusals: {},
      decisions: {},
    }))
    return store.addHistory([{ partner, counts, refusals: [] }], NOON)
  },
  history: (partner) => store.history(partner, 'hours', NOON),
  close: () => store.close(),
}

process.on('message', async ({ id, call, argument }) => {
  try {
    process.send({ id, result: await calls[call](argument) })
  } catch (error) {
    process.send({ id, refused: { name: error.name, reason: error.reason, message: error.message } })
  }
})
process.on('disconnect', () => process.exit())
