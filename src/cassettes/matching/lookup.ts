import type { HeaderLine } from '../../http/header-lines.ts'
import type { ClassOf } from '../bindings/outcome-class.ts'
import type { Cassette } from '../interaction.ts'
import { comparedValue, conditionOf } from '../message/choosing.ts'
import type { RequestFacts } from '../message/request-facts.ts'
import type { BindingTable } from './binding-table.ts'
import { canonicalKey } from './canonical-key.ts'
import { groupKey, holeToken } from './entry.ts'
import type { Bucket, Index, Indexed } from './entry-index.ts'
import { type Hole, type Layout, valueAt } from './layout.ts'
import type { Progress, Relation } from './order.ts'

/** Where one client is on the tape. */
export type LaneState = {
  readonly index: Index
  readonly table: BindingTable
  /** Position -> how often it was served. */
  readonly served: Map<number, number>
  /** The references that this run has made, in any lane: type and live value. */
  readonly made: Set<string>
  readonly progress: Map<Relation, Progress>
  /** A list of positions -> how many at its beginning are served, so that they are not looked at again. */
  readonly heads: Map<readonly number[], number>
  readonly strict: boolean
  /** Look-ups and entries examined so far; probes.test.ts bounds them for a request, whatever the tape holds. */
  probes: number
}

/** A live request, taken apart: `prepared` is compared (redacted as the recording was), `raw` holds its values. */
export type LiveFacts = {
  readonly operation: string | undefined
  readonly prepared: RequestFacts
  readonly raw: RequestFacts
  /** The headers of the prepared request. */
  readonly headers?: readonly HeaderLine[]
  /** Of the body as it was sent, in bytes. */
  readonly bodyLength: number
}

/** A bucket whose key the request has, and the values that the request has in its holes. */
export type Lookup = {
  readonly bucket: Bucket
  readonly values: readonly string[]
  /** The headers of the request, redacted: some of them have chosen an answer. */
  readonly headers: readonly HeaderLine[]
}

export type LookupContext = {
  readonly classOf: (cassette: Cassette) => ClassOf
  readonly digest: ((rule: string, value: string) => string) | undefined
}

/** What each hole asks of an entry: this recorded value, or (undefined) one that nobody has used yet. */
export type Needs = readonly (string | undefined)[]

/** Every bucket that has the key of the request, the most exact layout first. */
export function lookUp(state: LaneState, live: LiveFacts, context: LookupContext): readonly Lookup[] {
  const group = state.index.groups.get(groupKey(live.prepared, live.operation))
  if (!group) return []
  const found: Lookup[] = []
  for (const { layout, buckets } of group.layouts) {
    const values = readValues(layout, live.raw)
    if (!values) continue
    const tokens = layout.holes.map(({ type, field, digestRule, classOf }, i) => {
      const value = values[i] ?? ''
      const compared = digestRule !== undefined && context.digest
      return holeToken(type, compared ? `#${compared(digestRule, value)}` : classOf(field, value))
    })
    state.probes++
    const bucket = buckets.get(canonicalKey(live.prepared, live.operation, layout, tokens))
    if (bucket) found.push({ bucket, values, headers: live.headers ?? [] })
  }
  return found
}

function readValues(layout: Layout, raw: RequestFacts): readonly string[] | undefined {
  const values: string[] = []
  for (const { place } of layout.holes) {
    const value = valueAt(raw, place)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

/**
 * What the values ask for. A known value asks for the recorded one that it stands for; a value of the server that
 * the tape has not given out can only be itself; any other is seen for the first time.
 */
export function needsOf(state: LaneState, { bucket, values }: Lookup): Needs {
  return bucket.layout.holes.map((hole, i) => neededOf(state, hole, values[i] ?? ''))
}

export function neededOf(
  { table }: Pick<LaneState, 'table'>,
  { type, madeBy, known }: Hole,
  value: string,
): string | undefined {
  if (known?.has(value)) return value
  return table.recordedOf(type, value) ?? (madeBy === 'server' ? value : undefined)
}

/** Beside what is needed: a first-seen value that the recording knows at this very place is taken for that one. */
export function withLiterals(state: LaneState, { bucket, values }: Lookup, needs: Needs): Needs {
  return needs.map((need, i) => {
    const value = values[i] ?? ''
    if (need !== undefined || !bucket.byValue[i]?.has(value)) return need
    const type = bucket.layout.holes[i]?.type ?? ''
    return state.table.liveOf(type, value) === undefined ? value : undefined
  })
}

/** The shortest list of entries that holds every one that fits. */
export function shortlist(state: LaneState, bucket: Bucket, needs: Needs): readonly number[] {
  let best = bucket.entries
  for (const [i, need] of needs.entries()) {
    if (need === undefined) continue
    state.probes++
    const list = bucket.byValue[i]?.get(need) ?? []
    if (list.length < best.length) best = list
  }
  return best
}

/** Whether an entry has the needed values, and for first-seen ones values that stand for nobody yet. */
export function fits(state: LaneState, entry: Indexed, { values, headers }: Lookup, needs: Needs): boolean {
  if (!isChosen(entry, headers)) return false
  for (const [i, hole] of entry.layout.holes.entries()) {
    const { type } = hole
    const recorded = entry.values[i] ?? ''
    // A value stands for another one, and nothing for nothing alone.
    if ((recorded === '') !== (values[i] === '')) return false
    const bound = state.table.liveOf(type, recorded)
    if (entry.repeatsKey && type === 'idempotency-key' && bound === undefined) return false
    if (isUnmade(state, hole, recorded, values[i] ?? '')) return false
    if (needs[i] === undefined) {
      if (bound !== undefined || !agrees(entry, values, i)) return false
    } else if (needs[i] !== recorded || (bound !== undefined && bound !== values[i])) return false
  }
  return true
}

/** Whether the headers of a request choose the answer of an entry. A condition is nothing to one that had none. */
function isChosen({ choosing, condition }: Indexed, headers: readonly HeaderLine[]): boolean {
  if (condition !== undefined && condition !== conditionOf({ headers })) return false
  return choosing.every(([name, value]) => comparedValue(headers, name) === value)
}

/** Whether the recording had made the reference by then and this run has not made this one: then it is compared. */
export function isUnmade(
  { made }: Pick<LaneState, 'made'>,
  { type, isMade }: Hole,
  recorded: string,
  value: string,
): boolean {
  return isMade === true && recorded !== value && !made.has(madeName(type, value))
}

/** A reference among those that a run has made. */
export function madeName(type: string, value: string): string {
  return `${type}\0${value}`
}

/** Two holes of one type have one live value exactly when they have one recorded value. */
function agrees(entry: Indexed, values: readonly string[], i: number): boolean {
  const { holes } = entry.layout
  for (let j = 0; j < holes.length; j++) {
    if (j === i || holes[j]?.type !== holes[i]?.type) continue
    if ((values[i] === values[j]) !== (entry.values[i] === entry.values[j])) return false
  }
  return true
}
