import type { HeaderLine } from '../../http/header-lines.ts'
import { mediaTypeOf } from '../../http/media-type.ts'
import type { Operation } from '../../operations/operation.ts'
import type { Judgement, OutcomeNames } from '../../simulator/rules.ts'
import type { CapCommit } from '../../store/store.ts'
import { endToEnd } from '../../upstream/hop-headers.ts'

/** What the gateway says itself on every answer, and what is between it and the upstream alone. */
const OURS: ReadonlySet<string> = new Set([
  'alt-svc',
  'cache-control',
  'content-length',
  'idempotency-replayed',
  'proxy-authenticate',
  'proxy-authentication-info',
  'ratelimit',
  'ratelimit-policy',
  'trailer',
  'x-content-type-options',
  'x-request-id',
])
const RATE_LIMIT = /^(?:x-)?rate-?limit-/

const POINTING: ReadonlySet<string> = new Set(['location', 'content-location'])
/** Wrong beside a body that has been decoded. */
const OF_THE_CODING: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-md5',
  'content-digest',
  'digest',
])
/** True of one moment and one client: a replay does not have them. */
const MOMENTARY: ReadonlySet<string> = new Set(['date', 'set-cookie'])

const NO_STORE: HeaderLine = ['Cache-Control', 'no-store']

export type Origins = {
  /** Origin of the upstream, and what its paths begin with. */
  readonly upstream: string
  readonly base: string
  readonly publicUrl: () => string
}

/** The lines of an answer as the partner gets them: every end-to-end one, but what the gateway says itself. */
export function answerLines(
  lines: readonly HeaderLine[],
  origins: Origins,
  isDecoded: boolean,
): readonly HeaderLine[] {
  const kept: HeaderLine[] = []
  for (const line of endToEnd(lines)) {
    const name = line[0].toLowerCase()
    if (OURS.has(name) || RATE_LIMIT.test(name)) continue
    if (isDecoded && OF_THE_CODING.has(name)) continue
    kept.push(POINTING.has(name) ? [line[0], here(line[1], origins)] : line)
  }
  kept.push(NO_STORE)
  return kept
}

/** Those that are kept under the key. */
export function storedLines(lines: readonly HeaderLine[]): readonly HeaderLine[] {
  return lines.filter(([name]) => !MOMENTARY.has(name.toLowerCase()))
}

/** A place on the upstream, under the name that the partner knows; any other as it is. */
function here(location: string, { upstream, base, publicUrl }: Origins): string {
  if (location.startsWith('/') && !location.startsWith('//')) return withoutBase(location, base)
  const absolute = location.startsWith('//') ? `${new URL(upstream).protocol}${location}` : location
  if (!URL.canParse(absolute)) return location
  const url = new URL(absolute)
  if (url.origin !== upstream) return location
  return `${publicUrl()}${withoutBase(`${url.pathname}${url.search}${url.hash}`, base)}`
}

function withoutBase(path: string, base: string): string {
  return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path
}

/** What an answer says in JSON: the code of an error or a decision, and the outcome of a decision. */
export type Said = { readonly code: string | undefined; readonly outcome: string | undefined }

export const NOTHING_SAID: Said = { code: undefined, outcome: undefined }

export function readAnswer(lines: readonly HeaderLine[], body: Buffer): Said {
  const type = mediaTypeOf(lines)
  if (type !== 'application/json' && !type.endsWith('+json')) return NOTHING_SAID
  try {
    const document: unknown = JSON.parse(body.toString())
    if (typeof document !== 'object' || document === null) return NOTHING_SAID
    const { code, outcome } = document as Record<string, unknown>
    return { code: textOf(code), outcome: textOf(outcome) }
  } catch {
    return NOTHING_SAID
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Which caps a decided answer counts against: all of them, but that a refusal moves no money and an error counts nowhere. */
export function countsOf({ outcomes }: Operation, status: number, said: Said): CapCommit {
  if (status < 200 || status >= 300) return false
  return outcomes !== undefined && isRefusal(outcomes, said) ? 'calls' : true
}

/** What was decided, as the simulator would say it; of an operation that decides. */
export function judgementOf({ outcomes }: Operation, status: number, said: Said): Judgement | undefined {
  if (outcomes === undefined || status < 200 || status >= 300) return undefined
  return { outcome: isRefusal(outcomes, said) ? outcomes.bad : outcomes.good, rule: 'upstream' }
}

function isRefusal({ bad, code }: OutcomeNames, said: Said): boolean {
  return said.outcome === bad || said.code === code
}
