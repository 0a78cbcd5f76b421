import type { Backing } from './backing.ts'
import type { Commits, View } from './commits.ts'
import {
  decodeNumber,
  decodeRecord,
  encodeNumber,
  encodeRecord,
  expiresAtOf,
  expiryName,
  historyName,
  PRESENT,
  refusalsName,
} from './keyspace.ts'
import { periodStart } from './period.ts'
import type { HistoryAddition, HistoryResolution, RecentRefusal, UsageBucket, UsageCounts } from './store.ts'

export const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How long a bucket is kept, from its start. */
const KEPT_MS: Readonly<Record<HistoryResolution, number>> = { hours: 48 * HOUR_MS, days: 31 * DAY_MS }

export const MAX_REFUSALS = 200
const REFUSALS_KEPT_MS = 7 * DAY_MS

/**
 * Refusals lie in a ring of slots, so that a storm rewrites the slot it fills and not all that is kept. One slot more
 * than 200 refusals need: the one that is being overwritten does not count.
 */
const SLOT_SIZE = 25
const SLOTS = MAX_REFUSALS / SLOT_SIZE + 1

/** What one bucket holds: the counts of each operation. */
type Bucket = Record<string, UsageCounts>

/** One commit of its own for all of them. */
export function addHistory(
  commits: Commits,
  additions: readonly HistoryAddition[],
  now: number,
): Promise<void> {
  return commits.submitAside((view) => {
    for (const addition of additions) add(view, addition, now)
  })
}

function add(view: View, { partner, counts, refusals }: HistoryAddition, now: number): void {
  const buckets = new Map<string, { bucket: Bucket; expiresAt: number; isNew: boolean }>()
  const bucketAt = (resolution: HistoryResolution, start: number): Bucket | undefined => {
    const expiresAt = start + KEPT_MS[resolution]
    if (expiresAt <= now) return undefined
    const name = historyName(partner, resolution, start)
    let opened = buckets.get(name)
    if (opened === undefined) {
      const value = view.read(name)
      opened = { bucket: value ? (decodeRecord(value) as Bucket) : {}, expiresAt, isNew: value === undefined }
      buckets.set(name, opened)
    }
    return opened.bucket
  }
  for (const each of counts) {
    addTo(bucketAt('hours', each.start), each)
    addTo(bucketAt('days', periodStart('day', each.start)), each)
  }
  for (const [name, { bucket, expiresAt, isNew }] of buckets) {
    view.put(name, encodeRecord(expiresAt, bucket))
    if (isNew) view.put(expiryName(expiresAt, name), PRESENT)
  }
  if (refusals.length > 0) addRefusals(view, partner, refusals.slice(-MAX_REFUSALS), now)
}

function addTo(bucket: Bucket | undefined, { operation, ...more }: UsageBucket): void {
  if (bucket === undefined) return
  const known = bucket[operation]
  bucket[operation] = {
    requests: (known?.requests ?? 0) + more.requests,
    rateLimited: (known?.rateLimited ?? 0) + more.rateLimited,
    refusals: sum(known?.refusals, more.refusals),
    decisions: sum(known?.decisions, more.decisions),
  }
}

function sum(
  one: Readonly<Record<string, number>> | undefined,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const total = { ...one }
  for (const [name, count] of Object.entries(other)) total[name] = (total[name] ?? 0) + count
  return total
}

/** `head` is how many refusals the partner has ever had; it says which slot is next and how full it is. */
function addRefusals(view: View, partner: string, refusals: readonly RecentRefusal[], now: number): void {
  // To the hour, so that a slot that is filled one by one has one entry in the expiry index.
  const expiresAt = (Math.ceil(now / HOUR_MS) + 1) * HOUR_MS + REFUSALS_KEPT_MS
  const put = (slot: number | 'head', value: Buffer) => {
    const name = refusalsName(partner, slot)
    view.put(name, value)
    view.put(expiryName(expiresAt, name), PRESENT)
  }
  const head = view.read(refusalsName(partner, 'head'))
  let count = head === undefined || expiresAtOf(head) <= now ? 0 : decodeNumber(head)
  let rest = refusals
  while (rest.length > 0) {
    const slot = Math.floor(count / SLOT_SIZE) % SLOTS
    const filled = count % SLOT_SIZE
    const value = filled > 0 ? view.read(refusalsName(partner, slot)) : undefined
    const kept = value === undefined ? [] : (decodeRecord(value) as RecentRefusal[])
    const added = rest.slice(0, SLOT_SIZE - filled)
    put(slot, encodeRecord(expiresAt, [...kept, ...added]))
    rest = rest.slice(added.length)
    count += added.length
  }
  put('head', encodeNumber(expiresAt, count))
}

export function readHistory(
  backing: Backing,
  partner: string,
  resolution: HistoryResolution,
  now: number,
): UsageBucket[] {
  const found: UsageBucket[] = []
  const [from, to] = [
    historyName(partner, resolution, 0),
    historyName(partner, resolution, Number.MAX_SAFE_INTEGER),
  ]
  for (const { value } of backing.range({ from, to, limit: Number.POSITIVE_INFINITY })) {
    const expiresAt = expiresAtOf(value)
    if (expiresAt <= now) continue
    const start = expiresAt - KEPT_MS[resolution]
    for (const [operation, counts] of Object.entries(decodeRecord(value) as Bucket)) {
      found.push({ start, operation, ...counts })
    }
  }
  return found
}

export function readRefusals(backing: Backing, partner: string, now: number): RecentRefusal[] {
  const head = backing.read(refusalsName(partner, 'head'))
  const count = head === undefined ? 0 : decodeNumber(head)
  // The slot behind the one that is being filled is the oldest.
  const oldest = Math.ceil(count / SLOT_SIZE) % SLOTS
  const found: RecentRefusal[] = []
  for (let n = 0; n < SLOTS; n++) {
    const value = backing.read(refusalsName(partner, (oldest + n) % SLOTS))
    if (value !== undefined) found.push(...(decodeRecord(value) as RecentRefusal[]))
  }
  return found
    .slice(-MAX_REFUSALS)
    .filter(({ at }) => at > now - REFUSALS_KEPT_MS)
    .reverse()
}
