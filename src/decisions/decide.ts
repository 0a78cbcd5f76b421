import type { Refusal } from '../errors/refusal.ts'
import type { Call, Simulation } from '../operations/operation.ts'
import type { Awaitable, CapCommit, RecordWrite, StoredAnswer } from '../store/store.ts'

/** What was decided, serialised once to what is stored, sent and recorded. */
export type Decision =
  | {
      readonly kind: 'done'
      readonly answer: StoredAnswer
      readonly records: readonly RecordWrite[]
      /** Which of the reserved caps count. */
      readonly counts: CapCommit
    }
  /** `stored`: the refusal is the decision, and is replayed under its idempotency key. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly stored: boolean }

/** Whoever decides: the simulator, an upstream, a cassette. */
export type Decider = {
  /** Where the effect of a decision is: in our own commit, or beyond our reach. */
  readonly effect: 'local' | 'remote'
  readonly decide: (call: Call, simulation: Simulation) => Awaitable<Decision>
}
