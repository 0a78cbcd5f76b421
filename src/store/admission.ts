import type { Engine } from './engine.ts'
import { ownerIn } from './generations.ts'
import {
  answerName,
  decodeAnswer,
  encodeMarker,
  expiresAtOf,
  type FinishedAnswer,
  markerName,
} from './keyspace.ts'
import { keyOf, type Unfinished, workId } from './running-keys.ts'
import {
  type Admission,
  type KeyClaim,
  type Permit,
  type QuotaDemand,
  type StoreHealth,
  StoreUnavailable,
  type Verdict,
  type WindowState,
} from './store.ts'

/**
 * The whole admission, in the order of the contract: the window beats everything, then the key, and caps last, so
 * that neither a replay nor a refusal ever touches a cap. Synchronous, and therefore atomic, for local effects.
 */
export function admit(engine: Engine, admission: Admission, now: number): Verdict | Promise<Verdict> {
  const window = admission.window && engine.windows.take(admission.window, now)
  if (window?.full) return { kind: 'full', window }
  const seen = window === undefined ? {} : { window }
  engine.running.expire(now)
  const earlier = judgeKey(engine, admission, seen, now)
  if (earlier !== undefined) return earlier
  if (admission.storedOnly) return { kind: 'turned-away', ...seen }
  return admitNew(engine, admission, seen, now)
}

const NO_QUOTAS: readonly QuotaDemand[] = []

type Seen = { readonly window?: WindowState }

/** What an earlier use of the key says; undefined when the key is free (or there is none). */
function judgeKey(engine: Engine, admission: Admission, seen: Seen, now: number): Verdict | undefined {
  const { claim, partner } = admission
  if (claim === undefined) return undefined
  const work = engine.running.find(workId(partner, claim.key))
  if (work !== undefined) {
    if (work.fingerprint !== claim.fingerprint) return { kind: 'reused', ...seen }
    if (work.busy || work.state === 'running') return { kind: 'running', ...seen }
    if (admission.storedOnly) return { kind: 'turned-away', ...seen }
    return takeOver(engine, work, admission, claim, seen, now)
  }
  const finished = readFinished(engine, partner, claim.key, now)
  if (finished === undefined) return undefined
  if (finished.fingerprint !== claim.fingerprint) return { kind: 'reused', ...seen }
  return { kind: 'stored', ...seen, answer: finished.answer }
}

function readFinished(engine: Engine, partner: string, key: string, now: number): FinishedAnswer | undefined {
  const value = engine.backing.read(answerName(ownerIn(engine.backing, 'keys', partner), key))
  return value === undefined || expiresAtOf(value) <= now ? undefined : decodeAnswer(value)
}

/** The reservation stays what and where it was: the first attempt may have spent it. */
function takeOver(
  engine: Engine,
  work: Unfinished,
  { effect, partner }: Admission,
  claim: KeyClaim,
  seen: Seen,
  now: number,
): Verdict {
  refuseUnlessWritable(engine)
  const fence = engine.fences.next()
  engine.running.takeOver(work, fence, now + claim.leaseMs)
  const { caps, admittedAt } = work
  // Whoever decides today: a marker says that the effect of the first attempt is beyond our reach.
  const permit: Permit = {
    ...{ partner, fence, claim, caps, admittedAt },
    effect: work.marker === undefined ? effect : 'remote',
    takeover: true,
  }
  return { kind: 'admitted', ...seen, permit }
}

function admitNew(engine: Engine, admission: Admission, seen: Seen, now: number): Verdict | Promise<Verdict> {
  const { partner, claim, caps, effect, quotas = NO_QUOTAS } = admission
  const reserved = engine.caps.reserve(partner, caps, now)
  if (reserved.kind === 'refused') return { kind: 'capped', ...seen, cap: reserved.cap }
  const { holds } = reserved
  const quota = quotas.length === 0 ? undefined : engine.quotas.reserve(quotas)
  if (quota !== undefined) {
    engine.caps.release(holds)
    return { kind: 'no-room', ...seen, quota }
  }
  let fence: number
  try {
    // Refused here rather than at the settlement, so that nobody waits for a decision that cannot be kept.
    refuseUnlessWritable(engine)
    fence = engine.fences.next()
  } catch (error) {
    engine.caps.release(holds)
    engine.quotas.release(quotas)
    throw error
  }
  const key = keyOf(claim, fence)
  const work: Unfinished = {
    id: workId(partner, key),
    partner,
    key,
    fingerprint: claim?.fingerprint ?? '',
    fence,
    state: 'running',
    busy: false,
    leaseEndsAt: claim === undefined ? Number.POSITIVE_INFINITY : now + claim.leaseMs,
    deadline: now + (claim?.retentionMs ?? 0),
    caps,
    holds,
    quotas,
    admittedAt: now,
    marker: undefined,
  }
  engine.running.add(work)
  const permit: Permit =
    claim === undefined
      ? { partner, fence, caps, admittedAt: now, effect, takeover: false }
      : { partner, fence, claim, caps, admittedAt: now, effect, takeover: false }
  const { window } = seen
  const verdict: Verdict =
    window === undefined ? { kind: 'admitted', permit } : { kind: 'admitted', window, permit }
  return effect === 'local' ? verdict : markStarted(engine, work, verdict)
}

/** Before anything is sent to an upstream, the disk knows that it may have been. */
async function markStarted(engine: Engine, work: Unfinished, verdict: Verdict): Promise<Verdict> {
  work.busy = true
  try {
    await writeMarker(engine, work)
    return verdict
  } catch (error) {
    engine.caps.release(work.holds)
    engine.running.remove(work)
    throw error
  } finally {
    work.busy = false
  }
}

export async function writeMarker(engine: Engine, work: Unfinished): Promise<void> {
  const { partner, key, fingerprint, fence, caps, admittedAt, deadline } = work
  const name = markerName(partner, key, fence)
  const value = encodeMarker({ partner, key, fingerprint, fence, caps, admittedAt, deadline })
  await engine.commits.submit((view) => view.put(name, value))
  work.marker = name
}

/** @throws StoreUnavailable while new work may not begin. */
export function refuseUnlessWritable(engine: Engine): void {
  const health = healthOf(engine)
  if (!health.writable) throw new StoreUnavailable(health.reason)
}

/** Whether new work may begin. What has begun is settled, and what is old is deleted, as long as anything is written. */
export function healthOf({ commits, backing, reserveBytes }: Engine): StoreHealth {
  const health = commits.health()
  const disk = backing.disk()
  if (!health.writable || disk === undefined) return health
  const free = disk.freeBytes + disk.reusableBytes
  if (free >= reserveBytes) return health
  const reason = `less is free than store.reserveBytes keeps for settlements and deletions: ${free} of ${reserveBytes} bytes`
  return { writable: false, reason }
}
