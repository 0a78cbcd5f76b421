import { admit, healthOf, refuseUnlessWritable } from './admission.ts'
import type { Backing } from './backing.ts'
import { createCapBook } from './caps.ts'
import type { Commits } from './commits.ts'
import { dataUsage, resetData } from './data.ts'
import type { Engine } from './engine.ts'
import type { Fences } from './fences.ts'
import { addHistory, readHistory, readRefusals } from './history.ts'
import { decodeMarker, decodeNumber, MARKER_PREFIX } from './keyspace.ts'
import { createQuotaBook } from './quotas.ts'
import { readPage, readRecord } from './records.ts'
import { createRunningKeys, type Unfinished, workId } from './running-keys.ts'
import { settle } from './settlement.ts'
import type { RecordKind, Store } from './store.ts'
import { createSweeper } from './sweep.ts'
import { createRateWindows } from './windows.ts'

export type EngineParts = {
  readonly backing: Backing
  readonly commits: Commits
  readonly fences: Fences
  /** How many live rate windows are held before new subjects share one. */
  readonly maxWindows: number | undefined
  readonly secret: Buffer
  /** Below so many free bytes nothing new begins; by default no bound. */
  readonly reserveBytes?: number | undefined
  /** Ends what the caller opened, after the last commit. */
  readonly release: () => Promise<void>
}

export function createStore(parts: EngineParts): Store {
  const { backing, commits, secret } = parts
  const caps = createCapBook((counter) => {
    const value = backing.read(counter)
    return value === undefined ? 0 : decodeNumber(value)
  })
  const quotas = createQuotaBook(backing)
  const engine: Engine = {
    backing,
    commits,
    fences: parts.fences,
    windows: createRateWindows(parts.maxWindows),
    caps,
    quotas,
    reserveBytes: parts.reserveBytes ?? 0,
    running: createRunningKeys(caps, quotas),
  }
  const sweeper = createSweeper(engine)
  restoreUnknown(engine)
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    await commits.close()
    await backing.close()
    await parts.release()
  }

  return {
    peek: (window, now) => engine.windows.peek(window, now),
    take: (window, now) => engine.windows.take(window, now),
    admit: (admission, now) => admit(engine, admission, now),
    settle: (settlement, now) => settle(engine, settlement, now),
    get: <T>(kind: RecordKind, tenant: string, id: string, now: number) =>
      readRecord<T>(engine, kind, tenant, id, now),
    page: (kind, tenant, query, now) => readPage(engine, kind, tenant, query, now),
    async usage(partner, wanted, now) {
      if (closing !== undefined) return []
      engine.running.expire(now)
      return caps.usage(partner, wanted, now)
    },
    addHistory: async (additions, now) => {
      // What is kept free is for what has begun.
      refuseUnlessWritable(engine)
      await addHistory(commits, additions, now)
    },
    history: (partner, resolution, now) => readHistory(backing, partner, resolution, now),
    refusals: (partner, now) => readRefusals(backing, partner, now),
    secret: () => Buffer.from(secret),
    dataUsage: (owner) => dataUsage(engine, owner),
    resetData: (owner, kinds) => resetData(engine, owner, kinds),
    sweep: (now) => sweeper.sweep(now),
    // Health and metrics are asked for to the very end, when the files are closed already.
    health: () => (closing === undefined ? healthOf(engine) : commits.health()),
    stats: (now) => ({
      ...commits.counts(),
      sweepBacklogMs: closing === undefined ? sweeper.backlogMs(now) : 0,
      overshoots: caps.overshoots(),
      disk: closing === undefined ? backing.disk() : undefined,
    }),
    close() {
      closing ??= close()
      return closing
    },
  }
}

/** After a crash, every remote effect that was under way has an unknown outcome and keeps its reservation. */
function restoreUnknown({ backing, caps, running }: Engine): void {
  const query = { from: MARKER_PREFIX, to: `${MARKER_PREFIX}\uffff`, limit: Number.POSITIVE_INFINITY }
  for (const { name, value } of backing.range(query)) {
    const marker = decodeMarker(value)
    const { partner, key, fingerprint, fence, deadline, admittedAt } = marker
    const id = workId(partner, key)
    const work: Unfinished = {
      id,
      partner,
      key,
      fingerprint,
      fence,
      state: 'unknown',
      busy: false,
      leaseEndsAt: admittedAt,
      deadline,
      caps: marker.caps,
      admittedAt,
      marker: name,
      quotas: [],
      holds: caps.restore(partner, marker.caps, admittedAt),
    }
    // Two markers of one key: the earlier outcome was never learned, and its key has been used again since.
    const other = running.find(id)
    if (other === undefined) running.add(work)
    else if (other.fence > fence) running.setAside(work)
    else {
      running.overdue.add(other)
      running.add(work)
    }
  }
}
