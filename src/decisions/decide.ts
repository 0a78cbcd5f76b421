import type { Refusal } from '../errors/refusal.ts'
import type { Call } from '../operations/operation.ts'
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
    }
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
}

export const FIRST_ATTEMPT: Attempt = { takeover: false }
