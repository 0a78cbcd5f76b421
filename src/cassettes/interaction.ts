import type { OutcomeRule } from '../config/outcomes.ts'
import type { HeaderLine } from '../http/header-lines.ts'
import type { MatchProfile } from './match-profile.ts'

/**
 * The vocabulary of cassettes. An exchange is one request and its reply as they were on the wire; an interaction
 * is an exchange in a cassette: redacted, ordered, with the places where its values come from and go to.
 *
 * Bodies are bytes and are never re-serialised: number spelling, key order, white space and non-UTF-8 stay.
 */

export type CapturedRequest = {
  readonly method: string
  /** Path and query as they were on the wire, starting with a slash. */
  readonly target: string
  readonly httpVersion: '1.0' | '1.1'
  readonly headers: readonly HeaderLine[]
  /** As transferred, after chunked decoding; still compressed when it was. */
  readonly body: Uint8Array
}

export type CapturedReply = {
  readonly status: number
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
}

/** Who made the reply: a refusal of the edge, a rule of the simulator, or what stands behind the gateway. */
export type Origin = `edge:${string}` | `simulator:${string}` | 'upstream'

/**
 * Why an exchange has no reply. `client-left`: who had asked did not wait for it. `unanswered`: the upstream gave none.
 * `cut`: it broke off. `undecodable`: it was compressed, and not
 * all of it can be undone. `unreadable-coding`: it came in a content coding that nobody here can undo. `not-kept`: the HAR
 * that was imported has not all of its body. `from-cache`: a browser's 304, whose answer is in that browser's cache.
 * `beyond-bound`: its body is longer, deeper or packed further than is looked through for secrets.
 */
export const NO_REPLY = [
  'client-left',
  'unanswered',
  'cut',
  'undecodable',
  'unreadable-coding',
  'not-kept',
  'from-cache',
  'beyond-bound',
] as const
export type NoReply = (typeof NO_REPLY)[number]

/** What the pipeline (or the passthrough recorder) hands over, still holding secrets: it never reaches a disk. */
export type CapturedExchange = {
  /** Milliseconds since the epoch, of the clock of the gateway. */
  readonly startedAt: number
  readonly durationMs: number
  /** The partner whose recording this belongs to; undefined when nobody was authenticated. */
  readonly partner: string | undefined
  /** One client under test: X-Sandgate-Lane, else the /_lane/NAME prefix, else the client id, else ''. */
  readonly lane: string
  /** The operation id, or undefined for what the interface does not know. */
  readonly operation: string | undefined
  readonly origin: Origin
  readonly request: CapturedRequest
  /** Undefined when the client or the upstream went away before there was one, or when it is not whole. */
  readonly reply: CapturedReply | undefined
  /** Of an exchange without a reply, where it is known. */
  readonly noReply?: NoReply
}

/**
 * Where a value stands in an exchange. `pointer`: an RFC 6901 pointer into a JSON body, `/name` (`/name/1` for a
 * repeat) of a form field, query parameter or lower-case header, `/N` for the Nth path segment (from 0).
 *
 * In a reply a value may also be one token of the URL, path or URN at the place (`Location`, the `url` of a session).
 */
export type Place = {
  readonly part: 'path' | 'query' | 'request-header' | 'request-body' | 'reply-header' | 'reply-body'
  readonly pointer: string
}

/**
 * A typed hole: the value at `places` is matched up to renaming, not compared. One recorded value of one type is
 * one binding throughout a lane; two values are two.
 */
export type Binding = {
  /** What kind of value: `accountId`, `cursor`, `customerRef`, `phone`, `idempotency-key`, … */
  readonly type: string
  /** The recorded value, or the stand-in of a redacted one. */
  readonly value: string
  /** `server`: the reply is where it comes from. `client`: the client chooses it (volatile or redacted). */
  readonly madeBy: 'server' | 'client'
  readonly places: readonly Place[]
}

/** A value that was replaced before it reached a disk. */
export type Redaction = {
  readonly place: Place
  /** Why: `secret` (never shown again), `personal` (a typed stand-in that still matches). */
  readonly kind: 'secret' | 'personal'
  /** The field, header or pattern that asked for it. */
  readonly rule: string
  /** With a cassette key only: keyed digest (HMAC-SHA256, base64url) of the value, so that it can be compared. */
  readonly digest?: string
}

/**
 * A pair of client and secret that the token endpoint has refused, as a salted scrypt digest, or keyed by the cassette
 * key. It tells the one wrong pair of a recording from every other, and neither half can be read from it.
 */
export type PairDigest =
  | { readonly kind: 'scrypt'; readonly salt: string; readonly digest: string }
  | { readonly kind: 'hmac'; readonly digest: string }

export type Interaction = {
  /** From 1, in the order of the starts. */
  readonly sequence: number
  /** From 1, in the order of the ends; an interaction that never ended has none. */
  readonly ended: number | undefined
  /**
   * The highest sequence that had started when this one ended: only what started later can depend on it. Without
   * it the times decide, which cannot tell the requests of one millisecond apart.
   */
  readonly startedBeforeEnd?: number
  readonly startedAt: number
  readonly durationMs: number
  readonly lane: string
  readonly operation: string | undefined
  readonly origin: Origin
  readonly request: CapturedRequest
  /** Without content coding, whatever it came in: what a reader of the file sees is what is served. */
  readonly reply: CapturedReply | undefined
  /** Of an interaction without a reply. Undefined when its recorder ended before there was one. */
  readonly noReply?: NoReply
  readonly bindings: readonly Binding[]
  readonly redactions: readonly Redaction[]
  /** When the recording that this comes from began, where that is not the cassette's own `t0`: it was added later. */
  readonly began?: number
  /** Of a token exchange that was refused for its pair of client and secret. */
  readonly refusedPair?: PairDigest
}

/** What decides in the sandbox that was recorded. */
export type Deciding = {
  /** Evaluated in order; what no rule names succeeds. */
  readonly rules: readonly OutcomeRule[]
  /** The seeded references, with their scores. */
  readonly scores: Readonly<Record<string, number>>
}

/** `sandbox`: as it has told them. `configuration`: those of the front door, or of a file that was named. */
export type DecidingSource = 'sandbox' | 'configuration' | 'built-in'

export type Cassette = {
  /** Where it was read from, for the reports; never written into it. */
  readonly file?: string
  /** Of the format. A loader refuses a newer one and migrates an older one. */
  readonly version: number
  /** The product that wrote it, such as `sandgate/0.1.0`. */
  readonly product: string
  /** The instant that replayed instants are offsets from: milliseconds since the epoch. */
  readonly t0: number
  /** The fixed origin of the URLs, such as `https://sandbox.example.com`; never a random port. */
  readonly origin: string
  readonly profile: MatchProfile
  /** The names of the fields that count as volatile, beside what redaction makes volatile. */
  readonly volatile: readonly string[]
  /** The name of the redaction policy that was applied, such as `contract-1`. */
  readonly redaction: string
  /** What decides, and who said so; undefined in version 1, which is read by the built-in rules. */
  readonly outcomes?: Deciding & { readonly from: DecidingSource }
  /** Shows whether a cassette key is the one that the digests were made with. */
  readonly keyCheck?: string
  readonly interactions: readonly Interaction[]
}

export const CASSETTE_VERSION = 2
