import { closest } from '../config/suggest.ts'

/** What is read of a JSON Schema to type a text. */
export type FieldSchema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly patternProperties?: Readonly<Record<string, FieldSchema>>
  readonly items?: FieldSchema
  readonly required?: readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly expected?: string
}

/** JSON text that stands as it is: a number keeps each of its digits. */
export class Literal {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/** Objects are maps, so that a name such as `__proto__` is a name. */
export type Value = Literal | string | Value[] | Map<string, Value>

/** What is wrong with a field, in words that follow "sandgate call:". */
export class FieldMistake extends Error {
  override readonly name = 'FieldMistake'
}

/** `a.b=c` is the text `c` for `a.b`; the first equals sign divides. @throws FieldMistake */
export function splitField(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=')
  if (at === -1) throw new FieldMistake(`"${cut(text)}" is no NAME=VALUE`)
  if (at === 0) throw new FieldMistake(`"${cut(text)}" has no name before its equals sign`)
  return { name: text.slice(0, at), value: text.slice(at + 1) }
}

/**
 * Sets what `name` says in `body`: dots lead into objects, the schema says whether a text is a number, and a list gets
 * an item each time. What does not fit is sent as the text that it is: to judge it is the sandbox's. @throws FieldMistake
 */
export function setField(body: Map<string, Value>, schema: FieldSchema, name: string, text: string): void {
  let at = body
  let here = schema
  let rest = name
  for (;;) {
    const step = nextStep(here, rest)
    const inner = schemaOf(here, step)
    if (inner === undefined) throw new FieldMistake(unknownName(name, schema, here))
    if (step.length === rest.length) {
      put(at, step, inner, text, name)
      return
    }
    if (!isType(inner, 'object'))
      throw new FieldMistake(
        isType(inner, 'array')
          ? `${step} is a list; give ${step}=VALUE once for each of its items`
          : `${name}: ${step} has nothing in it; it is ${inner.expected ?? 'a single value'}`,
      )
    const before = at.get(step)
    if (before !== undefined && !(before instanceof Map))
      throw new FieldMistake(`${name}: ${step} has a value already`)
    const next = before ?? new Map<string, Value>()
    at.set(step, next)
    at = next
    here = inner
    rest = rest.slice(step.length + 1)
  }
}

/** The names that an object is known to have end at a dot; those of one that takes any name are all that is left. */
function nextStep({ properties }: FieldSchema, rest: string): string {
  if (properties === undefined) return rest
  const dot = rest.indexOf('.')
  return dot === -1 ? rest : rest.slice(0, dot)
}

function schemaOf({ properties, patternProperties }: FieldSchema, step: string): FieldSchema | undefined {
  if (properties && Object.hasOwn(properties, step)) return properties[step]
  return properties ? undefined : Object.values(patternProperties ?? {})[0]
}

function put(at: Map<string, Value>, step: string, schema: FieldSchema, text: string, name: string): void {
  const before = at.get(step)
  const value = typed(schema, text)
  if (Array.isArray(before)) {
    before.push(...(Array.isArray(value) ? value : [value]))
    return
  }
  if (before !== undefined) throw new FieldMistake(`${cut(name)} is given twice`)
  at.set(step, value)
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

function typed(schema: FieldSchema, text: string): Value {
  if (isType(schema, 'string') || schema.type === undefined) return text
  if ((isType(schema, 'integer') || isType(schema, 'number')) && NUMBER.test(text)) return new Literal(text)
  if (isType(schema, 'boolean') && (text === 'true' || text === 'false')) return new Literal(text)
  if (isType(schema, 'null') && text === 'null') return new Literal(text)
  const parsed = text.startsWith('{') || text.startsWith('[') ? jsonValue(text) : undefined
  if (isType(schema, 'object')) return parsed instanceof Map ? parsed : text
  if (isType(schema, 'array')) return Array.isArray(parsed) ? parsed : [typed(schema.items ?? {}, text)]
  return text
}

/** A JSON text as a value; undefined when it is none. */
export function jsonValue(text: string): Value | undefined {
  try {
    return fromJson(JSON.parse(text))
  } catch {
    return undefined
  }
}

function fromJson(value: unknown): Value {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== 'object' || value === null) return new Literal(JSON.stringify(value))
  return new Map(Object.entries(value).map(([name, inner]) => [name, fromJson(inner)]))
}

export function toJson(value: Value): string {
  if (value instanceof Literal) return value.json
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`
  return `{${[...value].map(([name, inner]) => `${JSON.stringify(name.toWellFormed())}:${toJson(inner)}`).join(',')}}`
}

export function isType({ type }: FieldSchema, wanted: string): boolean {
  return typeof type === 'string' ? type === wanted : (type?.includes(wanted) ?? false)
}

function unknownName(name: string, schema: FieldSchema, here: FieldSchema): string {
  const [first = ''] = name.split('.')
  const inside = here === schema ? '' : ` inside ${first}`
  return `there is no parameter ${cut(name)}${inside}${hintFor(name, fieldNames(schema))}`
}

/** `; did you mean amount?`, or where the names are. */
export function hintFor(name: string, names: readonly string[]): string {
  const meant = closestShort(name, names) ?? (name.length > SHOWN ? undefined : closestFirst(name, names))
  return meant === undefined ? `; it takes ${names.join(', ') || 'none'}` : `; did you mean ${meant}?`
}

/** Nobody means one of ours with so long a name, and comparing it takes time. */
export function closestShort(name: string, names: readonly string[]): string | undefined {
  return name.length > SHOWN ? undefined : closest(name, names)
}

/** `metadta.branch` means something of metadata. */
function closestFirst(name: string, names: readonly string[]): string | undefined {
  const [first = '', ...rest] = name.split('.')
  const firsts = names.filter((each) => each.includes('.')).map((each) => each.split('.')[0] ?? each)
  const found = rest.length === 0 ? undefined : closest(first, firsts)
  return found === undefined ? undefined : [found, ...rest].join('.')
}

/** What can be set, with dots; `metadata.NAME` where every name is taken. */
export function fieldNames(schema: FieldSchema, prefix = ''): string[] {
  if (schema.patternProperties) return [`${prefix}NAME`]
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    isType(inner, 'object') ? fieldNames(inner, `${prefix}${name}.`) : [`${prefix}${name}`],
  )
}

const SHOWN = 64

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text
}
