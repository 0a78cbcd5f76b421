import { headerOf } from '../../http/header-lines.ts'
import { pointerSteps } from '../../http/json-pointer.ts'
import type { ClassOf } from '../bindings/outcome-class.ts'
import type { Place } from '../interaction.ts'
import { CALLER_PLACES, callerValue } from '../message/caller-facts.ts'
import type { FormField } from '../message/form-fields.ts'
import { nodeAt } from '../message/json-tree.ts'
import { placeKey } from '../message/place.ts'
import type { RequestFacts } from '../message/request-facts.ts'

/** A place of a request whose value is bound rather than compared. */
export type Hole = {
  readonly place: Place
  readonly type: string
  /** The name that rules know the value by. */
  readonly field: string
  readonly madeBy: 'server' | 'client'
  /** The recording holds a keyed digest of the value, made under this rule: it is compared after all. */
  readonly digestRule: string | undefined
  /** What a value of this place decides, by the rules of its recording; `rules` numbers them. */
  readonly classOf: ClassOf
  readonly rules: number
  /** A value among these is no other one: a client that was recorded. */
  readonly known?: ReadonlySet<string>
  /** Of a reference in a read: the recording had made it by then, and a live one stands for it only when this run has. */
  readonly isMade?: boolean
}

export type HoleTree = { hole?: number; readonly children: Map<string, HoleTree> }
export type FieldHoles = ReadonlyMap<string, number>

/** The holes of a request, compiled: interactions of one kind share one layout. */
export type Layout = {
  readonly id: string
  readonly holes: readonly Hole[]
  readonly path: ReadonlyMap<number, number>
  readonly query: FieldHoles
  readonly form: FieldHoles
  readonly body: HoleTree | undefined
  /** Those of a body that is neither: by pointer. */
  readonly raw: FieldHoles
  /** Where its requests hold their credentials; undefined when they have none. */
  readonly caller: string | undefined
}

export function layoutId(holes: readonly Hole[]): string {
  return holes
    .map(({ place, type, madeBy, digestRule, rules, isMade }) =>
      [placeKey(place), type, madeBy, digestRule, rules, isMade].join(' '),
    )
    .join('\n')
}

export function compileLayout(holes: readonly Hole[]): Layout {
  const path = new Map<number, number>()
  const query = new Map<string, number>()
  const form = new Map<string, number>()
  const raw = new Map<string, number>()
  let body: HoleTree | undefined
  let caller: string | undefined
  for (const [i, { place }] of holes.entries()) {
    const names = pointerSteps(place.pointer)
    if (place.part === 'path') path.set(Number(names[0]), i)
    else if (place.part === 'request-header' && CALLERS.has(place.pointer)) caller = place.pointer
    else if (place.part === 'query') query.set(fieldKeyOf(names), i)
    else if (place.part === 'request-body') {
      form.set(fieldKeyOf(names), i)
      raw.set(place.pointer, i)
      body ??= { children: new Map() }
      let node = body
      for (const name of names) {
        const child: HoleTree = node.children.get(name) ?? { children: new Map() }
        node.children.set(name, child)
        node = child
      }
      node.hole = i
    }
  }
  return { id: layoutId(holes), holes, path, query, form, body, raw, caller }
}

const CALLERS: ReadonlySet<string> = new Set(Object.values(CALLER_PLACES))

/** The text at a place of a request, when there is one that can be bound. */
export function valueAt(facts: RequestFacts, place: Place): string | undefined {
  const names = pointerSteps(place.pointer)
  switch (place.part) {
    case 'path':
      return facts.segments[Number(names[0])]
    case 'query':
      return fieldAt(facts.query, names)
    case 'request-header':
      if (names[0] === 'idempotency-key') return facts.idempotencyKey
      return callerValue(facts.caller, place.pointer) ?? headerOf(facts.headers, names[0] ?? '')
    case 'request-body': {
      if (facts.body.kind === 'form') return fieldAt(facts.body.fields, names)
      if (facts.body.kind === 'multipart') return fieldAt(facts.body.parts, names)
      if (facts.body.kind === 'raw')
        return facts.body.fields.find(({ pointer }) => pointer === place.pointer)?.value
      if (facts.body.kind !== 'json') return undefined
      const node = nodeAt(facts.body.json.root, place.pointer)
      return node?.kind === 'string' ? node.value : node?.kind === 'number' ? node.text : undefined
    }
    default:
      return undefined
  }
}

function fieldAt(fields: readonly FormField[], names: readonly string[]): string | undefined {
  let repeat = Number(names[1] ?? '0')
  for (const field of fields) {
    if (field.name === names[0] && repeat-- === 0) return field.value
  }
  return undefined
}

function fieldKeyOf(names: readonly string[]): string {
  return fieldKey(names[0] ?? '', Number(names[1] ?? '0'))
}

export function fieldKey(name: string, repeat: number): string {
  return `${repeat} ${name}`
}
