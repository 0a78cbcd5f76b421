import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from 'typebox'
import type { CapProduct, RateLimitGroup, Scope } from '../config/contract.ts'
import type { Partner } from '../config/partners.ts'
import type { Config } from '../config/schema.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { Refusal } from '../errors/refusal.ts'
import type { Language } from '../http/language.ts'
import type { Ids } from '../simulator/ids.ts'
import type { OutcomeNames, Rules } from '../simulator/rules.ts'
import type {
  Awaitable,
  CapCommit,
  CapUsage,
  RateWindow,
  RecordWrite,
  Store,
  WindowState,
} from '../store/store.ts'

/** A validated request body or query: plain JSON. Each operation reads it through its own schema's type. */
export type Fields = Readonly<Record<string, unknown>>

/** One authenticated, validated request, as an operation sees it. */
export type Call = {
  readonly operation: Operation
  readonly requestId: string
  readonly partner: Partner
  readonly tenant: string
  /** What the caller's token is good for; absent without one. */
  readonly scopes?: ReadonlySet<string> | undefined
  readonly body: Fields
  readonly query: Fields
  readonly params: Readonly<Record<string, string>>
  /** The request as it came, for a decider that passes it on. */
  readonly request: CallRequest
  /** The Idempotency-Key, unquoted and in lower case, of an operation that has one. */
  readonly key?: string | undefined
  /** X-Sandbox-Outcome, already checked against the operation's outcome names. */
  readonly requestedOutcome?: string | undefined
  /** Of what the answer says in words. */
  readonly language: Language
  /** The instant of the request: milliseconds since the epoch. */
  readonly now: number
  /** For the usage view: the windows that this caller's requests are counted against. */
  readonly windows: () => readonly UsageWindow[]
}

/** The request behind a call: what the edge has judged, before it was read into fields. */
export type CallRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  /** Canonical, with its parameters filled in. */
  readonly path: string
  /** The text after the question mark; empty without one. */
  readonly query: string
  /** Lower-case names, as Node joins them. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Whom it came from, as rate limits name it: `ip:192.0.2.1`. */
  readonly client: string
}

export type UsageWindow = { readonly scope: 'partner' | 'client' | 'ip'; readonly window: RateWindow }

/** What the simulator lends to an operation. */
export type Simulation = {
  readonly config: Config
  readonly rules: Rules
  readonly ids: Ids
  /** Scheme, host and port, without a slash at the end. */
  readonly publicUrl: () => string
  readonly records: Pick<Store, 'get' | 'page'>
  readonly resetData: Store['resetData']
  readonly usage: (partner: Partner, now: number) => Awaitable<CapUsage[]>
  readonly peek: (window: RateWindow, now: number) => Awaitable<WindowState>
  readonly history: Pick<Store, 'history' | 'refusals'>
}

/** What an operation decided, before it is written and sent. */
export type Decided =
  | {
      readonly kind: 'done'
      readonly status: 200 | 201 | 204
      /** Serialised once, to the bytes that are stored, sent and recorded. */
      readonly body: Fields
      readonly location?: string | undefined
      /** The rule that decided, for X-Sandbox-Rule. */
      readonly rule?: string | undefined
      readonly records: readonly RecordWrite[]
      /** Which of the reserved caps count. */
      readonly counts: CapCommit
    }
  /** The decision itself refuses. `stored`: the refusal is kept under the idempotency key. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly stored: boolean }

export type OperationCap = {
  readonly product: CapProduct
  /** The property that says how much a request wants of a cap in XOF; without one it is only counted in calls. */
  readonly amountField?: string
}

/**
 * An operation is the unit of change: routes, OpenAPI, limits, metric labels, redaction, matching and docs follow from
 * its row and the annotations of its fields. test/operations/rows.test.ts names what a new one lacks.
 */
export type OperationRow = {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly tag:
    | 'Token'
    | 'Accounts'
    | 'Identity'
    | 'Payments'
    | 'Credit'
    | 'Score'
    | 'Webhooks'
    | 'Portal'
    | 'Sandbox'
  /** A scope, `all` scopes that the partner holds, `any` valid token, or `client` (credentials in the request). */
  readonly auth: Scope | 'all' | 'any' | 'client'
  /** Whether this configuration wants a token for it; absent where every configuration does. */
  readonly needsToken?: (config: Config) => boolean
  /** What an answer gives its caller to go on with. A cassette keeps no token: a replay grants its own. */
  readonly grants?: 'token'
  readonly group: RateLimitGroup
  /** Whether the group counts per partner, per client IP, or per client. */
  readonly countsPer: 'partner' | 'ip' | 'client'
  readonly cap?: OperationCap
  /** What it makes one of, which the sandbox keeps up to a quota. */
  readonly creates?: 'accounts' | 'sessions' | 'webhooks'
  readonly outcomes?: OutcomeNames
  readonly body?: TSchema
  readonly query?: TSchema
  readonly params?: Readonly<Record<string, TSchema>>
  readonly success: {
    readonly status: 200 | 201 | 204
    readonly description: string
    readonly schema: TSchema
    readonly location?: boolean
    readonly example: Fields
  }
  /**
   * What an answer shows of the moment in which it was asked for, so that it is another one later: a `list` shows
   * what others have made as well, `usage` counts everything that was done. Absent where it shows what is named.
   */
  readonly shows?: 'list' | 'usage'
  /** It may change whatever any other request of its client has made or shows. */
  readonly changes?: 'everything'
  /** The codes that only this operation answers; those of the pipeline follow from the row. */
  readonly errors: readonly ErrorCode[]
  /** Those of `errors` that a later moment may answer otherwise: they are not kept under the idempotency key. */
  readonly momentary?: readonly ErrorCode[]
  /** An example of the request, for the docs. */
  readonly exampleBody?: Fields
  readonly exampleQuery?: Fields
}

export type Operation = OperationRow & {
  /** A further judgement of a valid request, from the request alone. */
  readonly judge?: (request: { body: Fields; query: Fields }, config: Config) => Refusal | undefined
  readonly simulate: (call: Call, simulation: Simulation) => Awaitable<Decided>
}

const NO_RECORDS: readonly RecordWrite[] = []

/** What an operation decided, with the usual case as the default: nothing written, the caps count. */
export function done(
  status: 200 | 201,
  body: Fields,
  more: { location?: string; rule?: string; records?: readonly RecordWrite[]; counts?: CapCommit } = {},
): Decided {
  const { location, rule, records = NO_RECORDS, counts = true } = more
  return { kind: 'done', status, body, location, rule, records, counts }
}

/** Copies the properties that are present, so that absent optional fields stay absent. */
export function pick(fields: Fields, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const name of names) if (fields[name] !== undefined) picked[name] = fields[name]
  return picked
}
