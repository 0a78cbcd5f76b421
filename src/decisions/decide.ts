import type { Readable } from 'node:stream'
import type { Refusal } from '../errors/refusal.ts'
import type { HeaderLine } from '../http/header-lines.ts'
import type { Call, CallRequest, Operation } from '../operations/operation.ts'
import type { Judgement } from '../simulator/rules.ts'
import type { Awaitable, CapCommit, RecordWrite, StoredAnswer } from '../store/store.ts'

/** What was decided, serialised once to what is stored, sent and recorded. */
export type Decision =
  | {
      readonly kind: 'done'
      readonly answer: StoredAnswer
      readonly records: readonly RecordWrite[]
      /** Which of the reserved caps count. */
      readonly counts: CapCommit
      /** What was decided and by which rule, of an operation that decides; absent where nothing new was. */
      readonly judgement?: Judgement
      /** What the client hears now, where that is more than what is kept. */
      readonly sent?: StoredAnswer
    }
  /** Somebody else's answer that decides nothing: the client hears it, and it is not kept. */
  | { readonly kind: 'passed'; readonly answer: StoredAnswer }
  /** Somebody else's answer to a read. */
  | { readonly kind: 'read'; readonly answer: ReadAnswer; readonly judgement?: Judgement }
  /**
   * `stored`: the refusal is the decision, and is replayed under its idempotency key. Otherwise nothing happened in
   * this attempt, and the key is free again unless an earlier attempt may have acted.
   */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly stored: boolean }
  /**
   * A remote effect may have happened. The key and its reservation wait for a retry that learns more; the client
   * hears the refusal.
   */
  | { readonly kind: 'unknown'; readonly refusal: Refusal }

/** A request for a page: of a person with a browser, who has no token. */
export type PageRequest = CallRequest & { readonly requestId: string }

export type ReadAnswer = {
  readonly status: number
  readonly lines: readonly HeaderLine[]
  /** A stream where it passes as it comes in; destroying it lets go of it. */
  readonly body: Buffer | Readable
  /** What its Content-Length says, where it has one. */
  readonly contentLength?: string
}

/** Which of the attempts at a call this is. */
export type Attempt = {
  /** An earlier attempt under the same key has an unknown outcome: its effect may have happened already. */
  readonly takeover: boolean
}

/** Whoever decides: the simulator, or an upstream. */
export type Decider = {
  /** Where the effect of a decision is: in our own commit, or beyond our reach. */
  readonly effect: 'local' | 'remote'
  /** A throw is a fault. Of a local effect nothing has happened then; of a remote one nobody knows. */
  readonly decide: (call: Call, attempt: Attempt) => Awaitable<Decision>
  /** Passes on a page that belongs to what it decides, as it is. Absent where the pages are the gateway's own. */
  readonly page?: (request: PageRequest) => Promise<Decision>
  /** Why nothing can be decided at the moment; asked before anything is reserved. */
  readonly unavailable?: () => Refusal | undefined
}

export const FIRST_ATTEMPT: Attempt = { takeover: false }

/** Who decides what, read for each request: a reload may change it. */
export type Deciders = {
  readonly of: (operation: Operation) => Decider
  /** Who may know what became of an earlier attempt beyond our reach, whoever decides today. */
  readonly ofTakeovers: () => Decider | undefined
}

export function decidedBy(decider: Decider): Deciders {
  return { of: () => decider, ofTakeovers: () => (decider.effect === 'remote' ? decider : undefined) }
}
