import type { TSchema } from 'typebox'

/** What a schema says of size, read once: judged before anything that the value holds. */
export type Bounds = {
  /** Whether no list, object or text is larger than its schema lets it be. Costs a look at each container. */
  readonly hold: (value: unknown) => boolean
  /**
   * The value without what is too large and without properties that are not known, each of which is reported under
   * its pointer. What is left is no larger than the schema.
   */
  readonly cut: (value: unknown, report: (pointer: string, kind: 'too-large' | 'unknown') => void) => unknown
}

type Rules = {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly additionalProperties?: unknown
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly maxLength?: number
}

/** A text of more code units than this many times its `maxLength` is too long however it is counted. */
const UNITS_PER_CHARACTER = 16

type Bound = (value: unknown) => boolean

export function createBounds(schema: TSchema, stepOf: (name: string) => string): Bounds {
  const { properties, additionalProperties } = schema as Rules
  if (!properties) return { hold: boundOf(schema), cut: (value) => value }
  const isClosed = additionalProperties === false
  const children = Object.entries(properties).map(([name, child]) => ({
    name,
    holds: boundOf(child),
    bounds: 'properties' in child ? createBounds(child, stepOf) : undefined,
  }))
  const known = new Set(children.map(({ name }) => name))

  const hold = (value: unknown): boolean => {
    if (!isObject(value)) return true
    if (isClosed && !isWithin(value, known.size)) return false
    for (const { name, holds, bounds } of children) {
      const child = value[name]
      if (child !== undefined && !(bounds?.hold(child) ?? holds(child))) return false
    }
    return true
  }
  const cut: Bounds['cut'] = (value, report) => {
    if (!isObject(value)) return value
    const kept: Record<string, unknown> = {}
    for (const name of isClosed ? known : Object.keys(value))
      if (Object.hasOwn(value, name)) kept[name] = value[name]
    if (isClosed) for (const name of Object.keys(value)) if (!known.has(name)) report(stepOf(name), 'unknown')
    for (const { name, holds, bounds } of children) {
      if (kept[name] === undefined) continue
      if (bounds) {
        kept[name] = bounds.cut(kept[name], (pointer, kind) => report(stepOf(name) + pointer, kind))
      } else if (!holds(kept[name])) {
        delete kept[name]
        report(stepOf(name), 'too-large')
      }
    }
    return kept
  }
  return { hold, cut }
}

function boundOf(schema: TSchema): Bound {
  const { maxItems, maxProperties, maxLength } = schema as Rules
  if (maxItems !== undefined) return (value) => !Array.isArray(value) || value.length <= maxItems
  if (maxProperties !== undefined) return (value) => !isObject(value) || isWithin(value, maxProperties)
  if (maxLength !== undefined)
    return (value) => typeof value !== 'string' || value.length <= maxLength * UNITS_PER_CHARACTER
  return () => true
}

/** Counts no further than it has to. */
function isWithin(value: object, most: number): boolean {
  let count = 0
  for (const _name in value) if (++count > most) return false
  return true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
