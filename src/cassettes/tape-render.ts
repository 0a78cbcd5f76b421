import { DELIMITERS } from './bindings-strings.ts'
import type { BindingTable } from './bindings-table.ts'
import { eachScalar, nodeAt, readJson } from './canonical-json.ts'
import type { CapturedReply, HeaderLine } from './interaction.ts'
import type { Bound, Entry } from './matcher-entry.ts'
import { isInstantName, shiftEpoch, shiftHttpDate, shiftInstant, type ToLive } from './time.ts'

/** What a reply is rendered with. */
export type RenderContext = {
  readonly table: BindingTable
  readonly instants: ToLive
  readonly moment: ToLive
  readonly requestId: string | undefined
  /** Scheme, host and port that the client uses, without a slash at the end. */
  readonly origin: string | undefined
}

type Edit = {
  readonly start: number
  readonly end: number
  /** The text as it stands there: of a JSON string without quotes and escapes. */
  readonly text: string
  readonly kind: 'string' | 'number'
  readonly bindings: readonly Bound[]
  readonly isInstant: boolean
}

/** Where a recorded body is touched; everything between these places is sent byte for byte. */
type Plan = { readonly text: string; readonly edits: readonly Edit[] }

const plans = new WeakMap<Entry, Plan | 'untouched'>()

/** The recorded reply with live values at the places of the bound ones, and nowhere else. */
export function renderReply(entry: Entry, context: RenderContext): CapturedReply {
  const { reply } = entry.interaction
  if (!reply) throw new TypeError('an interaction without a reply is not served')
  const body = renderBody(entry, reply.body, context)
  // It tells the length of what a GET would have got.
  const isHead = entry.interaction.request.method === 'HEAD'
  const headers: HeaderLine[] = []
  for (const [name, value] of reply.headers) {
    const lower = name.toLowerCase()
    if (lower === 'transfer-encoding') continue
    headers.push([
      name,
      lower === 'content-length' && !isHead
        ? String(body.length)
        : renderHeader(entry, lower, value, context),
    ])
  }
  return { status: reply.status, headers, body }
}

function renderBody(entry: Entry, body: Uint8Array, context: RenderContext): Uint8Array {
  let plan = plans.get(entry)
  if (!plan) {
    plan = planOf(entry, body)
    plans.set(entry, plan)
  }
  if (plan === 'untouched') return body
  const pieces: string[] = []
  let rest = 0
  for (const edit of plan.edits) {
    const live = edit.isInstant
      ? (edit.kind === 'number' ? shiftEpoch : shiftInstant)(edit.text, context.instants)
      : renderText(edit.text, edit.bindings, entry, context)
    if (live === undefined || live === edit.text || (edit.kind === 'number' && !isNumber(live))) continue
    pieces.push(plan.text.slice(rest, edit.start), edit.kind === 'number' ? live : JSON.stringify(live))
    rest = edit.end
  }
  if (rest === 0) return body
  pieces.push(plan.text.slice(rest))
  return Buffer.from(pieces.join(''))
}

/** A value that is a text elsewhere may have no spelling as a number. */
function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text)
}

function planOf(entry: Entry, body: Uint8Array): Plan | 'untouched' {
  const json = readJson(body)
  if (!json) return 'untouched'
  const byPointer = new Map<string, Bound[]>()
  for (const binding of entry.bindings) {
    for (const { part, pointer } of binding.places) {
      if (part === 'reply-body') byPointer.set(pointer, [...(byPointer.get(pointer) ?? []), binding])
    }
  }
  const sent = Buffer.from(entry.interaction.request.body).toString('latin1')
  const edits: Edit[] = []
  eachScalar(json.root, (scalar, pointer, name) => {
    if (scalar.kind === 'literal') return
    const text = scalar.kind === 'string' ? scalar.value : scalar.text
    const bindings = byPointer.get(pointer) ?? []
    // An instant that the client has sent is the client's, and comes back as it was sent.
    const isInstant = bindings.length === 0 && isInstantName(name) && !sent.includes(text)
    const isOurs = scalar.kind === 'string' && text.startsWith(`${entry.cassette.origin}/`)
    if (bindings.length === 0 && !isInstant && !isOurs) return
    if (nodeAt(json.root, pointer) !== scalar) return
    edits.push({ start: scalar.start, end: scalar.end, text, kind: scalar.kind, bindings, isInstant })
  })
  return edits.length === 0 ? 'untouched' : { text: json.text, edits }
}

function renderHeader(entry: Entry, name: string, value: string, context: RenderContext): string {
  switch (name) {
    case 'date':
    case 'expires':
    case 'retry-after':
      return shiftHttpDate(value, context.moment) ?? value
    case 'x-ratelimit-reset':
      return shiftEpoch(value, context.moment) ?? value
    case 'location':
    case 'x-request-id': {
      const here = entry.bindings.filter(({ places }) =>
        places.some(({ part, pointer }) => part === 'reply-header' && pointer === `/${name}`),
      )
      return renderText(value, here, entry, context)
    }
    default:
      return value
  }
}

/** A text with the live values of its bindings: the whole of it, or the tokens that it is made of. */
function renderText(text: string, bindings: readonly Bound[], entry: Entry, context: RenderContext): string {
  const lives = new Map<string, string>()
  for (const binding of bindings) {
    const live = liveValue(binding, context)
    if (live !== undefined && live !== binding.value) lives.set(binding.value, live)
  }
  const whole = lives.get(text)
  if (whole !== undefined) return whole
  const { origin } = entry.cassette
  const isOurs = context.origin !== undefined && context.origin !== origin && text.startsWith(`${origin}/`)
  if (lives.size === 0) return isOurs ? `${context.origin}${text.slice(origin.length)}` : text
  const kept = isOurs ? `${context.origin}` : ''
  const rest = isOurs ? text.slice(origin.length) : text
  return kept + replaceTokens(rest, lives)
}

function replaceTokens(text: string, lives: ReadonlyMap<string, string>): string {
  const tokens = text.split(DELIMITERS)
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
