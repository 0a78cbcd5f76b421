import type { CapturedReply, CapturedRequest, Interaction } from '../interaction.ts'
import type { CallerFacts } from '../message/caller-facts.ts'

export type LiveRequest = {
  readonly lane: string
  readonly operation: string | undefined
  readonly request: CapturedRequest
  /** Milliseconds since the epoch: what replayed instants are rendered around. */
  readonly now: number
  /** Who is asking, as whoever has judged it says; without it, what the headers say. */
  readonly caller?: CallerFacts
  /** Takes the place of the recorded request id, also in a problem's body. */
  readonly requestId?: string
  /** Scheme, host and port that the client uses: takes the place of the recorded origin in our URLs. */
  readonly origin?: string
}

export type TapeHit = {
  readonly kind: 'hit'
  readonly interaction: Interaction
  readonly reply: CapturedReply
  /** `served`: for the first time. `repeated`: a read that stays on it. `replayed`: under its Idempotency-Key. */
  readonly use: 'served' | 'repeated' | 'replayed'
}
