import type { HeaderLine } from '../http/header-lines.ts'

/**
 * The store contract. Every implementation passes the one suite in test/store/contract.ts.
 *
 * Time comes in as `now` (milliseconds since the epoch, from the gateway's clock); a store never reads a clock.
 *
 * The life of an idempotency key, which belongs to one partner:
 *
 *   absent ── admit ──> running ── settle(finished) ──> finished ── retention ──> absent
 *                          │ ── settle(nothing) ──────> absent       (nothing happened)
 *                          │ ── settle(unknown) ──────> unknown      (an upstream may have acted)
 *                          │ ── lease runs out ───────> absent (local) or unknown (remote)
 *   unknown ── admit with the same fingerprint ──> running again, under a new fence, with the SAME reservation
 *
 * - Each take-over of an unfinished key has a new, larger fence. A settlement with an old fence changes nothing.
 * - `local` effects (the simulator): record, answer and cap are one commit; a crash before it means that nothing
 *   happened. `remote` effects (an upstream): a durable `started` marker (fingerprint, fence, caps) is committed
 *   before `admit` resolves; after a crash the key is `unknown`.
 * - A reservation of an unknown key is committed, the safe side, when its retention runs out.
 *
 * Rate windows are fixed windows that start with the subject's first request and need not survive a restart of a
 * single-process store. Caps, records and finished answers do survive, and so does everything acknowledged. The usage
 * history survives too; it belongs to the partner and not to the tenant's data.
 *
 * A store that cannot write throws StoreUnavailable from `admit` and `settle` (with nothing executed, the key
 * absent again and the reservation released); windows and reads go on.
 */
export type Store = {
  /** Looks at a window without spending from it. */
  peek(window: RateWindow, now: number): Awaitable<WindowState>
  /** Spends one request from a window. `full` when there was none left; a refused request spends nothing. */
  take(window: RateWindow, now: number): Awaitable<WindowState>
  /**
   * One call for the whole admission: rate window, then idempotency key, then caps.
   * A full window beats everything.
   */
  admit(admission: Admission, now: number): Awaitable<Verdict>
  /** Ends what `admit` began. Resolves when the outcome is durable. */
  settle(settlement: Settlement, now: number): Promise<SettleResult>
  /** A record of a tenant, or undefined when there is none or it has expired. */
  get<T = unknown>(kind: RecordKind, tenant: string, id: string, now: number): Awaitable<T | undefined>
  /** Records of a tenant, newest first (ids sort by creation), starting after `before`. */
  page<T = unknown>(kind: RecordKind, tenant: string, query: PageQuery, now: number): Awaitable<Page<T>>
  /** What has been used and is reserved of each of a partner's caps in the period that holds `now`. */
  usage(partner: string, caps: readonly Cap[], now: number): Awaitable<CapUsage[]>
  /** How much a partner holds of each kind, and how much what is being decided may add. */
  dataUsage(owner: DataOwner): Awaitable<DataUsage[]>
  /**
   * Ends the generation of these kinds: their records and finished answers are absent from now on, and are deleted
   * later, a sweep at a time. Running and unknown keys, caps and windows stay; what is being decided ends in the new
   * generation. One small commit, which a nearly full disk has room for.
   */
  resetData(owner: DataOwner, kinds: readonly DataKind[]): Promise<void>
  /**
   * Adds what partners have done to their history: to the hour (kept for 48 hours) and the UTC day (kept for 31) of
   * each count, and to their recent refusals. All or nothing, durable when it resolves. Where it cannot be written it
   * rejects with StoreUnavailable, and nothing else of the store suffers from that.
   */
  addHistory(additions: readonly HistoryAddition[], now: number): Promise<void>
  /** The history of a partner, oldest first; buckets in which nothing happened are left out. */
  history(partner: string, resolution: HistoryResolution, now: number): Awaitable<UsageBucket[]>
  /** A partner's last refusals, newest first: at most 200, of the last seven days. */
  refusals(partner: string, now: number): Awaitable<RecentRefusal[]>
  /** A secret of this installation (32 random bytes, made once, kept with the data): keys digests. */
  secret(): Buffer
  /** Deletes what has expired, a bounded batch per call; resolves to how many records it deleted. */
  sweep(now: number): Promise<number>
  /** Whether the last write succeeded and there is room for new work; what /readyz shows. */
  health(): StoreHealth
  /** For the metrics. */
  stats(now: number): StoreStats
  /**
   * Copies everything as of one commit into `data.mdb` in an empty directory, durable and for its owner alone. Work goes
   * on meanwhile. Rejects with an error of the system or of the engine. Absent where nothing is on a disk.
   */
  copyInto?(directory: string): Promise<void>
  /** Flushes and closes; the store answers nothing afterwards. */
  close(): Promise<void>
}

export type Awaitable<T> = T | Promise<T>

/** What a request is counted against. */
export type RateWindow = {
  /** The rate-limit group, such as `payments.fund`. */
  readonly group: string
  /** Whose window it is: `partner:demo`, `ip:192.0.2.1`, `ip:2001:db8:1:2::/64`, `key:key_demo`, … */
  readonly subject: string
  readonly limit: number
  readonly windowMs: number
  /**
   * The wider subject (a /24 or /48) that a NEW subject shares with its neighbours when the store already holds
   * as many live windows as it may. Live windows are never evicted.
   */
  readonly shared?: string
}

export type WindowState = {
  readonly limit: number
  /** What is left after this call. */
  readonly remaining: number
  /** When the window ends, in milliseconds since the epoch; for a subject without a window, now + windowMs. */
  readonly resetAt: number
  /** The request must be refused: there was nothing left. For `peek`: a request now would be refused. */
  readonly full: boolean
}

export type CapPeriod = 'day' | 'month'
export type CapUnit = 'calls' | 'amount'

/** A business cap of a partner: `limit` per product, period (UTC) and unit. */
export type Cap = {
  readonly product: string
  readonly period: CapPeriod
  readonly unit: CapUnit
  readonly limit: number
}

/** A cap and how much of it a request wants. */
export type CapDemand = Cap & { readonly amount: number }

export type CapUsage = Cap & {
  readonly used: number
  readonly reserved: number
  /** Start of the next period, milliseconds since the epoch. */
  readonly resetAt: number
}

/** A cap that a request would have crossed. `unknown`: the part of `reserved` whose outcome nobody knows. */
export type RefusedCap = CapUsage & { readonly amount: number; readonly unknown: number }

export type KeyClaim = {
  /** A UUID v4 in lower case. */
  readonly key: string
  /** A keyed digest of the request (hex or base64url); equal only for byte-identical requests. */
  readonly fingerprint: string
  /** How long a running key may stay unfinished. */
  readonly leaseMs: number
  /** How long a finished answer is kept, from completion. */
  readonly retentionMs: number
}

export type Admission = {
  readonly partner: string
  /** Absent for work that is not rate limited here (a decision made by a page). */
  readonly window?: RateWindow
  readonly claim?: KeyClaim
  /** All of them must pass; they are reserved together or not at all. */
  readonly caps: readonly CapDemand[]
  /** Judged with the caps; what a take-over finds has been judged. */
  readonly quotas?: readonly QuotaDemand[]
  readonly effect: 'local' | 'remote'
  /** Only what is stored is wanted: whatever would have to be decided is turned away, with nothing reserved. */
  readonly storedOnly?: boolean
}

/** `window` is present whenever the admission had one. */
export type Verdict =
  | { readonly kind: 'full'; readonly window: WindowState }
  | { readonly kind: 'reused'; readonly window?: WindowState }
  | { readonly kind: 'running'; readonly window?: WindowState }
  | { readonly kind: 'turned-away'; readonly window?: WindowState }
  | { readonly kind: 'stored'; readonly window?: WindowState; readonly answer: StoredAnswer }
  | {
      readonly kind: 'capped'
      readonly window?: WindowState
      readonly cap: RefusedCap
    }
  | {
      readonly kind: 'no-room'
      readonly window?: WindowState
      readonly quota: QuotaDemand & { readonly used: number; readonly reserved: number }
    }
  | { readonly kind: 'admitted'; readonly window?: WindowState; readonly permit: Permit }

/** The right to decide. It must be settled exactly once. */
export type Permit = {
  readonly partner: string
  /** Larger than every fence given out before for the same key, also after a restart. */
  readonly fence: number
  readonly claim?: KeyClaim
  readonly caps: readonly CapDemand[]
  /** The instant of admission: caps belong to the period that holds it. */
  readonly admittedAt: number
  /** At a take-over `remote` in any case: that is what the first attempt was. */
  readonly effect: 'local' | 'remote'
  /** True when the permit takes over a key whose earlier outcome is unknown. */
  readonly takeover: boolean
}

export type StoredAnswer = {
  readonly status: number
  /** Content-Type, and Location and X-Sandbox-Rule where there are any; lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** In place of `headers`, which are empty then: every header line of an answer that an upstream has sent. */
  readonly lines?: readonly HeaderLine[]
  /** The bytes, or the text whose UTF-8 they are. */
  readonly body: Buffer | string
}

export type CapCommit = boolean | 'calls'

export type Settlement = {
  readonly permit: Permit
  /**
   * finished: the answer is stored under the key (if there is one).
   * nothing: nothing happened; the key is absent again.
   * unknown: a remote effect may have happened; the reservation stays.
   */
  readonly outcome: 'finished' | 'nothing' | 'unknown'
  /** Needed when the outcome is `finished` and the permit has a claim. */
  readonly answer?: StoredAnswer
  /**
   * Whether the reserved caps count (commit) or go back (release). `calls`: those that count calls do, those that
   * sum amounts do not, because a refusal is a decision and moves no money. Ignored when the outcome is `unknown`.
   */
  readonly commitCaps: CapCommit
  /** Written in the same commit. Only with `finished`. */
  readonly records: readonly RecordWrite[]
}

export type SettleResult =
  | { readonly kind: 'settled' }
  /** The permit had lost its key to a later fence; nothing was changed. */
  | { readonly kind: 'superseded' }
  /**
   * A record that had to be absent exists: nothing was written and the permit still stands, so the caller
   * decides again (it will now find the record) and settles once more.
   */
  | { readonly kind: 'conflict' }

export type RecordKind = 'account' | 'score' | 'session' | 'decision' | 'webhook' | 'ended-session'

/**
 * What a partner can fill the disk with. Records belong to its tenant: `accounts` (with their score rows), `sessions`
 * (with their decisions) and `webhooks` are counted. The finished answers, `keys`, belong to the partner and are
 * measured in bytes.
 */
export type DataKind = 'accounts' | 'sessions' | 'webhooks' | 'keys'

export const DATA_KINDS: readonly DataKind[] = ['accounts', 'sessions', 'webhooks', 'keys']

/** A partner and its tenant. */
export type DataOwner = { readonly partner: string; readonly tenant: string }

/** What new work may add to a kind. `who`: the tenant of records, the partner of keys. */
export type QuotaDemand = {
  readonly kind: DataKind
  readonly who: string
  readonly limit: number
  readonly amount: number
}

export type DataUsage = { readonly kind: DataKind; readonly used: number; readonly reserved: number }

export type RecordWrite = {
  readonly kind: RecordKind
  readonly tenant: string
  /** Ids of listed kinds sort by creation. */
  readonly id: string
  /** A plain JSON value. */
  readonly value: unknown
  /** `refuse`: settle answers `conflict` when the record exists. `keep`: an existing record stays as it is. */
  readonly ifPresent: 'refuse' | 'keep' | 'replace'
  /** Milliseconds since the epoch; absent: kept for ever. */
  readonly expiresAt?: number
}

export type PageQuery = { readonly limit: number; readonly before?: string }

export type Page<T> = {
  readonly items: readonly T[]
  /** The id to continue before; null on the last page. */
  readonly next: string | null
}

export type HistoryResolution = 'hours' | 'days'

/** What a partner's requests of one operation came to in a span of time. */
export type UsageCounts = {
  /** Every answered request, refused ones included. */
  readonly requests: number
  /** Those that were answered 429. */
  readonly rateLimited: number
  /** Those that were refused otherwise, by error code. */
  readonly refusals: Readonly<Record<string, number>>
  /** Decisions that were made (a replayed answer is none), by outcome. */
  readonly decisions: Readonly<Record<string, number>>
}

export type UsageBucket = UsageCounts & {
  /** The start of the hour or of the UTC day; milliseconds since the epoch. */
  readonly start: number
  /** The id of the operation, or `none`. */
  readonly operation: string
}

export type RecentRefusal = {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly requestId: string
  /** The id of the operation, or `none`. */
  readonly operation: string
  readonly status: number
  readonly code: string
}

export type HistoryAddition = {
  readonly partner: string
  /** Their `start` is the start of an hour. */
  readonly counts: readonly UsageBucket[]
  /** Oldest first. */
  readonly refusals: readonly RecentRefusal[]
}

export type StoreStats = {
  /** Changes that wait for the next commit. */
  readonly waiting: number
  /** Commits that failed since the store was opened. */
  readonly failures: number
  /** How long ago the oldest entry expired that the sweep has not deleted, in milliseconds; 0 when there is none. */
  readonly sweepBacklogMs: number
  /** Times that the used part of a cap was above every limit that work had been admitted under. Always 0. */
  readonly overshoots: number
  /** Where there are files. */
  readonly disk: StoreDisk | undefined
}

export type StoreDisk = {
  /** The size of the data file. */
  readonly bytes: number
  /** What is free on its disk. */
  readonly freeBytes: number
  /** Of the file: what nothing uses, and what is written again before it grows. */
  readonly reusableBytes: number
}

export type StoreHealth = { readonly writable: true } | { readonly writable: false; readonly reason: string }

/** The store cannot be written now (a full disk, for one). Nothing has been executed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The store cannot be opened; the message says what to do. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly reason: 'in-use' | 'newer-format' | 'damaged' | 'unusable'
  constructor(reason: StoreOpenError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
