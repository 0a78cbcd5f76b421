import { canonicalNumber } from '../../http/decimal.ts'
import { pointerSteps } from '../../http/json-pointer.ts'
import type { Cassette, Place } from '../interaction.ts'
import { recordedFacts } from '../matching/entry.ts'
import type { Indexed } from '../matching/entry-index.ts'
import { type Layout, valueAt } from '../matching/layout.ts'
import { isUnmade, neededOf } from '../matching/lookup.ts'
import { isSuperseded, missingDependency } from '../matching/order.ts'
import { comparedValue, conditionsOf } from '../message/choosing.ts'
import { placeKey } from '../message/place.ts'
import type { RequestFacts } from '../message/request-facts.ts'
import { noReplySentence } from '../no-reply.ts'
import type { MissContext } from './context.ts'
import { masked, shown } from './mask.ts'
import type { MissReason } from './report.ts'
import { type Difference, differences } from './request-diff.ts'

export function laneReason(recorded: string, live: string): MissReason {
  return { kind: 'lane', at: '', recorded, live, rule: `X-Sandgate-Lane: ${recorded}` }
}

/** Everything that keeps this interaction from answering the request. */
export function reasonsOf(entry: Indexed, miss: MissContext): readonly MissReason[] {
  const recorded = recordedFacts(entry)
  const structural = differences(recorded, miss.live.prepared, holesOf(entry.layout))
  const reasons = structural.map((difference) => reasonOf(difference, entry, recorded, miss))
  reasons.push(...choosingReasons(entry, miss), ...bindingReasons(entry, miss))
  // Another spelling of a JSON number keeps no interaction from answering; it is told beside what does.
  const decisive = reasons.filter(({ kind }) => kind !== 'number-spelling')
  return decisive.length === 0 ? [...orderReasons(entry, miss), ...reasons] : reasons
}

/** The headers that have chosen the recorded answer and are others now. */
function choosingReasons({ choosing, interaction, cassette }: Indexed, { live }: MissContext): MissReason[] {
  const headers = live.headers ?? []
  // A condition is nothing to an answer that had none.
  const conditions = conditionsOf(interaction.request)
  const more = conditionsOf({ headers }).filter(([name]) => !conditions.some(([each]) => each === name))
  const added = conditions.length === 0 ? [] : more.map(([name]) => [name, ''] as const)
  const wanted = [...choosing, ...conditions, ...added]
  return wanted.flatMap(([name, recorded]): MissReason[] => {
    const sent = comparedValue(headers, name)
    if (sent === recorded) return []
    const told = (value: string) => (value === '' ? '(none)' : shown([name], value))
    const at = placeKey({ part: 'request-header', pointer: `/${name}` })
    return [{ kind: 'value', at, recorded: told(recorded), live: told(sent), rule: recordAgain(cassette) }]
  })
}

function holesOf(layout: Layout): ReadonlySet<string> {
  return new Set(layout.holes.map(({ place }) => placeKey(place)))
}

function reasonOf(
  difference: Difference,
  entry: Indexed,
  facts: RequestFacts,
  miss: MissContext,
): MissReason {
  const { kind, place, recorded, live, types } = difference
  const names = namesOf(place)
  const field = names.at(-1) ?? ''
  const isPersonal = entry.interaction.redactions.some((each) => placeKey(each.place) === placeKey(place))
  const show = (value: string, type: string | undefined) => {
    const text = isPersonal ? masked(field, value) : shown(names, value, isQuoted(place, value, type))
    return kind === 'type' && type !== undefined ? `${text} (${type})` : text
  }
  return {
    kind,
    at: placeKey(place),
    ...(recorded !== undefined && { recorded: show(recorded, types?.[0]) }),
    ...(live !== undefined && { live: show(live, types?.[1]) }),
    rule: ruleOf(difference, field, entry, facts, miss),
  }
}

/** A text is quoted. What is a number, and what says in words which fact there was, is not. */
function isQuoted({ part, pointer }: Place, value: string, type: string | undefined): boolean {
  if (type !== undefined && type !== '') return type === 'string'
  if (part === 'request-header') return QUOTED_HEADERS.has(pointer.slice(1))
  return canonicalNumber(value) === undefined
}

const QUOTED_HEADERS: ReadonlySet<string> = new Set([
  'accept-language',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'prefer',
  'range',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-sandbox-outcome',
])

/** The exchange was recorded, and its answer was not. */
export function unansweredReason({ interaction, cassette }: Indexed): MissReason {
  const why = noReplySentence(interaction.noReply)
  return { kind: 'unanswered', at: '', recorded: why, live: 'asked again', rule: recordAgain(cassette) }
}

function ruleOf(
  { kind, place, recorded = '', live = '' }: Difference,
  field: string,
  { cassette }: Indexed,
  facts: RequestFacts,
  { context: { classOf } }: MissContext,
): string {
  if (kind === 'number-spelling') return `${field}: ${recorded}`
  // What stands in a path or header, in bytes or a part of multipart, or is no text and no number, is never bound.
  const isField = place.part === 'query' || place.part === 'request-body'
  if (kind !== 'value' || !isField || valueAt(facts, place) === undefined || !isListItem(place.pointer))
    return recordAgain(cassette)
  // A value that decides an outcome is compared, whatever is said to be volatile.
  const classIn = classOf(cassette)
  const decides = classIn(field, recorded) !== '' || classIn(field, live) !== ''
  return decides ? `${field}: ${recorded}` : `--volatile ${shellWord(place.pointer)}`
}

/** Lists on a command line have commas or spaces between their items. */
function isListItem(pointer: string): boolean {
  return pointer !== '' && !/[\s,]/.test(pointer)
}

export function recordAgain({ origin, file }: Cassette, mode: 'all' | 'new_episodes' = 'all'): string {
  return `sandgate record --upstream ${shellWord(origin)} --out ${shellWord(file ?? 'FILE.har')} --mode ${mode}`
}

function shellWord(text: string): string {
  return /^[\w./:~@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Holes whose live value stands for another recorded one, or decides otherwise. */
function bindingReasons(entry: Indexed, { lane, live }: MissContext): MissReason[] {
  const { table } = lane.state
  const reasons: MissReason[] = []
  for (const [i, hole] of entry.layout.holes.entries()) {
    const { type, field, place } = hole
    const recorded = entry.values[i] ?? ''
    const value = valueAt(live.raw, place)
    // That the place is empty is a difference of structure.
    if (value === undefined) continue
    const at = placeKey(place)
    const shownValues = { recorded: shown([field], recorded), live: shown([field], value) }
    if (hole.classOf(field, recorded) !== hole.classOf(field, value)) {
      reasons.push({ kind: 'value', at, ...shownValues, rule: `${field}: ${shownValues.recorded}` })
      continue
    }
    if (isUnmade(lane.state, hole, recorded, value)) {
      reasons.push({ kind: 'value', at, ...shownValues, rule: `--volatile ${shellWord(place.pointer)}` })
      continue
    }
    if ((recorded === '') !== (value === '')) {
      reasons.push({ kind: 'value', at, ...shownValues, rule: recordAgain(entry.cassette) })
      continue
    }
    const standsFor = neededOf(lane.state, hole, value)
    const takenBy = table.liveOf(type, recorded)
    // Whoever has been served the interaction has its key; that it is served is the reason, not whose key it is.
    if (field === 'idempotency-key' && lane.state.served.has(entry.position)) continue
    const fine = standsFor === undefined ? takenBy === undefined : standsFor === recorded
    if (!fine) reasons.push(bindingReason(entry, at, shownValues, standsFor === undefined))
  }
  return reasons
}

/** `isNew`: this run has not sent the value before, and every recorded one of its kind has its own already. */
function bindingReason(
  { cassette }: Indexed,
  at: string,
  values: { readonly recorded: string; readonly live: string },
  isNew: boolean,
): MissReason {
  const rule = isNew ? recordAgain(cassette, 'new_episodes') : 'X-Sandgate-Lane: <one name per test>'
  return { kind: 'binding', at, ...values, rule }
}

const CONTRACT = '--profile contract'

function orderReasons(entry: Indexed, { lane }: MissContext): MissReason[] {
  const { state, view } = lane
  if (!entry.safe && view.isServed(entry.position)) {
    const times = state.served.get(entry.position) ?? 1
    return [
      {
        kind: 'exhausted',
        at: '',
        recorded: 'once',
        live: `${times + 1} times`,
        rule: recordAgain(entry.cassette, 'new_episodes'),
      },
    ]
  }
  if (!state.strict) return []
  const missing = missingDependency(entry, view)
  const late = isSuperseded(entry, view)
  if (!missing && !late) return []
  const before = missing?.interaction
  const order: MissReason = {
    kind: 'order',
    at: '',
    recorded: before
      ? `after entry ${before.sequence} (${before.operation ?? before.request.method})`
      : 'before a later change that was already asked for',
    live: before ? 'before it' : 'after it',
    rule: CONTRACT,
  }
  return [order, { kind: 'profile', at: '', recorded: 'contract', live: 'strict', rule: CONTRACT }]
}

function namesOf(place: Place): readonly string[] {
  const names = pointerSteps(place.pointer).filter((name) => !/^[0-9]+$/.test(name))
  return place.part === 'path' ? [] : names
}
