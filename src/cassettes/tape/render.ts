import { type HeaderLine, headerOf } from '../../http/header-lines.ts'
import { append } from '../../map-entries.ts'
import type { CapturedReply } from '../interaction.ts'
import type { BindingTable } from '../matching/binding-table.ts'
import { type Bound, boundOf, type Entry } from '../matching/entry.ts'
import {
  epochShift,
  httpDateShift,
  instantShift,
  isInstantName,
  type Shift,
  type ToLive,
} from '../message/instants.ts'
import { eachScalar, hasRepeatedNames, nodeAt, readJson } from '../message/json-tree.ts'
import { type Splice, spliced } from '../message/splice.ts'
import { movedLinks, movedUrl, withoutDomain } from '../message/urls.ts'
import { TOKEN_DELIMITERS } from '../message/values.ts'

/** What a reply is rendered with. */
export type RenderContext = {
  readonly table: BindingTable
  readonly instants: ToLive
  readonly moment: ToLive
  readonly requestId: string | undefined
  /** Scheme, host and port that the client uses, without a slash at the end. */
  readonly origin: string | undefined
  /** Where the page is from that sends the request, as its browser says it. */
  readonly asker: string | undefined
}

type Edit = {
  readonly start: number
  readonly end: number
  /** The text as it stands there: of a JSON string without quotes and escapes. */
  readonly text: string
  readonly kind: 'string' | 'number'
  readonly bindings: readonly Bound[]
  /** Of an instant that is rendered anew. */
  readonly shift: Shift | undefined
}

/** Where a recorded body is touched; everything between these places is sent byte for byte. */
type BodyPlan = { readonly text: string; readonly edits: readonly Edit[] }

/** A header line that may be sent otherwise than it was recorded; all others are sent as they are. */
type HeaderPlan = HeaderLine | { readonly line: HeaderLine; readonly live: LiveHeader }
type LiveHeader = (context: RenderContext, body: Uint8Array) => string

type Plan = { readonly headers: readonly HeaderPlan[]; readonly body: BodyPlan | 'untouched' }

/** How many edits are kept ready. Beyond it all are forgotten: a run mostly asks for what it has just asked for. */
const KEPT_EDITS = 200_000
let plans = new WeakMap<Entry, Plan>()
let keptEdits = 0

/** The recorded reply with live values at the places of the bound ones, and nowhere else. */
export function renderReply(entry: Entry, context: RenderContext): CapturedReply {
  const { reply } = entry.interaction
  if (!reply) throw new TypeError('an interaction without a reply is not served')
  const plan = planOf(entry, reply)
  const body = plan.body === 'untouched' ? reply.body : renderBody(plan.body, reply.body, entry, context)
  const headers = plan.headers.map((planned): HeaderLine => {
    if (!('live' in planned)) return planned
    const [name] = planned.line
    return [name, planned.live(context, body)]
  })
  return { status: reply.status, headers, body }
}

function renderBody(plan: BodyPlan, body: Uint8Array, entry: Entry, context: RenderContext): Uint8Array {
  const splices: Splice[] = []
  for (const { start, end, text, kind, bindings, shift } of plan.edits) {
    const live = shift ? shift(context.instants) : renderText(text, bindings, entry, context)
    if (live === undefined || live === text || (kind === 'number' && !isNumber(live))) continue
    splices.push({ start, end, text: kind === 'number' ? live : shift ? `"${live}"` : JSON.stringify(live) })
  }
  return splices.length === 0 ? body : Buffer.from(spliced(plan.text, splices))
}

/**
 * From when on instants are of this recording, by the clock of the sandbox: its Date header says how far that clock is
 * from the recorder's. What lies before is a constant of the sandbox, such as a seeded row. Milliseconds since the epoch.
 */
function beganAt({ cassette, interaction }: Entry): number {
  const { startedAt, durationMs, reply, began = cassette.t0 } = interaction
  const date = Date.parse(headerOf(reply?.headers ?? [], 'date') ?? '')
  if (Number.isNaN(date)) return began
  const skew = date - (startedAt + durationMs)
  // A Date has whole seconds, so it is up to one behind.
  return Math.abs(skew) <= DATE_STEP_MS ? began - DATE_STEP_MS : began + skew
}

const DATE_STEP_MS = 1000

/** As it was recorded, where it is older than the recording. */
function sinceThen(shift: Shift, began: number): Shift {
  return (toLive) => shift((ms) => (ms < began ? ms : toLive(ms)))
}

/** A value that is a text elsewhere may have no spelling as a number. */
function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text)
}

function planOf(entry: Entry, reply: CapturedReply): Plan {
  const known = plans.get(entry)
  if (known) return known
  const bindings = boundOf(entry)
  const plan = { headers: planHeaders(entry, reply, bindings), body: planBody(entry, reply, bindings) }
  keptEdits += plan.headers.length + (plan.body === 'untouched' ? 0 : plan.body.edits.length)
  if (keptEdits > KEPT_EDITS) {
    plans = new WeakMap()
    keptEdits = 0
  }
  plans.set(entry, plan)
  return plan
}

function planBody(entry: Entry, { body }: CapturedReply, bound: readonly Bound[]): BodyPlan | 'untouched' {
  const json = readJson(body)
  if (!json) return 'untouched'
  const byPointer = new Map<string, Bound[]>()
  for (const binding of bound) {
    for (const { part, pointer } of binding.places)
      if (part === 'reply-body') append(byPointer, pointer, binding)
  }
  const sent = Buffer.from(entry.interaction.request.body).toString('latin1')
  const edits: Edit[] = []
  const hasRepeats = hasRepeatedNames(json.root)
  const began = beganAt(entry)
  eachScalar(json.root, (scalar, pointer, name) => {
    if (scalar.kind === 'literal') return
    const text = scalar.kind === 'string' ? scalar.value : scalar.text
    const bindings = byPointer.get(pointer) ?? []
    // An instant that the client has sent is the client's, and comes back as it was sent.
    const isInstant = bindings.length === 0 && isInstantName(name) && !sent.includes(text)
    const plain = isInstant ? (scalar.kind === 'number' ? epochShift : instantShift)(text) : undefined
    const shift = plain && sinceThen(plain, began)
    const isOurs = scalar.kind === 'string' && isOf(text, entry)
    if (bindings.length === 0 && !shift && !isOurs) return
    if (hasRepeats && nodeAt(json.root, pointer) !== scalar) return
    edits.push({ start: scalar.start, end: scalar.end, text, kind: scalar.kind, bindings, shift })
  })
  return edits.length === 0 ? 'untouched' : { text: json.text, edits }
}

function planHeaders(
  entry: Entry,
  { headers }: CapturedReply,
  bound: readonly Bound[],
): readonly HeaderPlan[] {
  // The Content-Length of a HEAD is that of what a GET would have got.
  const isHead = entry.interaction.request.method === 'HEAD'
  const plans: HeaderPlan[] = []
  for (const line of headers) {
    const name = line[0].toLowerCase()
    if (name === 'transfer-encoding') continue
    const live = name === 'content-length' && isHead ? undefined : liveHeader(name, line[1], entry, bound)
    plans.push(live ? { line, live } : line)
  }
  return plans
}

function liveHeader(
  name: string,
  value: string,
  entry: Entry,
  bound: readonly Bound[],
): LiveHeader | undefined {
  switch (name) {
    case 'content-length':
      return (_, body) => String(body.length)
    case 'date':
    case 'expires':
    case 'retry-after':
    case 'x-ratelimit-reset': {
      const shift = (name === 'x-ratelimit-reset' ? epochShift : httpDateShift)(value)
      if (!shift) return undefined
      const since = name === 'expires' ? sinceThen(shift, beganAt(entry)) : shift
      return ({ moment }) => since(moment) ?? value
    }
    case 'access-control-allow-origin': {
      const isEchoed = value !== '*' && value === headerOf(entry.interaction.request.headers, 'origin')
      return isEchoed ? ({ asker }) => asker ?? value : undefined
    }
    case 'set-cookie': {
      // Of no domain: it is the client's again wherever the replay listens.
      const kept = withoutDomain(value)
      return kept === value ? undefined : () => kept
    }
    case 'link':
      return (context) => movedLinks(value, { from: entry.cassette.origin, to: originOf(context, entry) })
    case 'location':
    case 'content-location':
    case 'x-request-id': {
      const here = bound.filter(({ places }) =>
        places.some(({ part, pointer }) => part === 'reply-header' && pointer === `/${name}`),
      )
      return (context) => renderText(value, here, entry, context)
    }
    default:
      return undefined
  }
}

/** A text with the live values of its bindings: the whole of it, or the tokens that it is made of. */
function renderText(text: string, bindings: readonly Bound[], entry: Entry, context: RenderContext): string {
  const lives = livesOf(bindings, context)
  const whole = lives.get(text)
  if (whole !== undefined) return whole
  const { origin } = entry.cassette
  const isOurs = context.origin !== undefined && context.origin !== origin && isOf(text, entry)
  if (lives.size === 0) return isOurs ? `${context.origin}${text.slice(origin.length)}` : text
  const kept = isOurs ? `${context.origin}` : ''
  const rest = isOurs ? text.slice(origin.length) : text
  return kept + replaceTokens(rest, lives)
}

/** Whether a text is a URL of the recorded sandbox. */
function isOf(text: string, { cassette: { origin } }: Entry): boolean {
  return movedUrl(text, { from: origin, to: origin }) !== undefined
}

function originOf(context: RenderContext, { cassette }: Entry): string {
  return context.origin ?? cassette.origin
}

const SAME: ReadonlyMap<string, string> = new Map()

/** Recorded value -> live one, where they differ. */
function livesOf(bindings: readonly Bound[], context: RenderContext): ReadonlyMap<string, string> {
  let lives: Map<string, string> | undefined
  for (const binding of bindings) {
    const live = liveValue(binding, context)
    if (live === undefined || live === binding.value) continue
    lives ??= new Map()
    lives.set(binding.value, live)
  }
  return lives ?? SAME
}

function replaceTokens(text: string, lives: ReadonlyMap<string, string>): string {
  const tokens = text.split(TOKEN_DELIMITERS)
  let at = 0
  let out = ''
  for (const token of tokens) {
    out += (lives.get(token) ?? token) + text.slice(at + token.length, at + token.length + 1)
    at += token.length + 1
  }
  return out
}

function liveValue({ type, field, value }: Bound, { table, requestId }: RenderContext): string | undefined {
  return field === 'requestId' ? requestId : table.liveOf(type, value)
}
