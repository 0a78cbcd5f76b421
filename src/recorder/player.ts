import type { Continuation } from '../cassettes/tape/continuation.ts'

/** What is known of an answer of the player beside what is on the wire. */
export type Verdict =
  /** Nothing on the tape matches. The answer says so, and counts as a miss unless the request is passed on. */
  | { readonly kind: 'miss'; readonly forwarded: () => void; readonly stays: (reason: string) => void }
  /** A token for a token exchange that is not on the tape. */
  | { readonly kind: 'new-exchange' }

/** A gateway on this machine that answers from the cassette that is recorded into. */
export type Player = {
  readonly url: string
  /** By the request id of an answer; each can be asked for once. */
  readonly verdict: (requestId: string) => Verdict | undefined
  readonly continuations: () => readonly Continuation[]
  readonly close: () => Promise<void>
}
