import type { Refusal } from '../errors/refusal.ts'
import type { Fields } from '../operations/operation.ts'
import type { Awaitable } from '../store/store.ts'
import type { ProvenKey } from '../tokens/registry.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'
import type { LongBody } from './wire/body.ts'

/** What a stage of the pipeline ends with: a reply, or a refusal that becomes one at the end of the path. */
export type Outcome = Reply | Refusal

/** A request that the edge has nothing against. */
export type Accepted = {
  readonly body: Fields
  readonly query: Fields
  /** Its Idempotency-Key, of an operation that needs one. */
  readonly key: string | undefined
  /** The instant of admission: milliseconds since the epoch. */
  readonly now: number
}

/** Who answers what the edge lets through: a decision that is made and settled, or a tape. Made once at start. */
export type Answerer = {
  /**
   * It compares requests with recorded ones: bodies are read also where the edge has no use for them, and a path may
   * begin with the name of a lane.
   */
  readonly comparesRequests: boolean
  /** For a body that is longer than the edge takes, where it is compared all the same. */
  readonly openLong?: () => LongBody
  /** Answers what the edge accepts. The window of a request without a key has been spent; any other is still to be. */
  readonly answer: (exchange: Exchange, accepted: Accepted) => Awaitable<Outcome>
  /**
   * Asked about a request that the edge refuses, from the request alone, before the refusal is sent. Undefined: the
   * refusal stands.
   */
  readonly refused: (exchange: Exchange, refusal: Refusal, now: number) => Awaitable<Outcome | undefined>
  /** Told of a refusal of what never became a request, such as the parser's. */
  readonly dropped?: (code: string) => void
  /** Asked for a page about the gateway itself, which may be another's at a replay. Undefined: our own. */
  readonly document?: (exchange: Exchange, now: number) => Outcome | undefined
  /** A token for a client that has proven itself and may have these scopes. */
  readonly grant: (
    exchange: Exchange,
    proven: ProvenKey,
    scopes: readonly string[],
    now: number,
  ) => Awaitable<Outcome>
}
