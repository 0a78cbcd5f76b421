import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { instant } from '../clock.ts'
import type { FieldError } from '../errors/refusal.ts'
import { shownStep } from '../http/json-pointer.ts'
import { createBounds } from './bounds.ts'
import { propertiesOf } from './query.ts'

export type ErrorPlace = 'pointer' | 'parameter'

/** What JSON.parse did not tell about a value: see ParsedJson. */
export type Suspicions = { readonly inexact: ReadonlySet<string>; readonly illFormed: ReadonlySet<string> }

/**
 * Compiles a schema into a check that lists every error at once, without coercion. Errors speak in the words of
 * the field (`expected`), never repeat a value, and name unknown properties. Lengths are judged before items, so that
 * nobody can make us look at more than the schema has room for.
 */
export function createFieldCheck(schema: TSchema, place: ErrorPlace) {
  let compiled: Validator | undefined
  // When it is first needed: a replay of a few operations does not wait for all of them.
  const validator = () => {
    compiled ??= Compile(schema)
    return compiled
  }
  const bounds = createBounds(schema, shownStep)
  const past = Object.entries(propertiesOf(schema)).flatMap(([name, field]) => (field.past ? [name] : []))
  const properties = Object.keys(propertiesOf(schema))

  return (value: unknown, now: number, suspicions?: Suspicions): readonly FieldError[] => {
    const clean =
      suspicions === undefined || (suspicions.inexact.size === 0 && suspicions.illFormed.size === 0)
    const future = past.length === 0 ? past : past.filter((name) => !isPast(value, name, now))
    if (clean && future.length === 0 && bounds.hold(value) && validator().Check(value)) return NO_ERRORS

    const details = new Map<string, string>()
    const say = (pointer: string, detail: string) => {
      if (!details.has(pointer)) details.set(pointer, detail)
    }
    const cut = new Set<string>()
    const kept = bounds.cut(value, (pointer, kind) => {
      const above = pointer.slice(0, pointer.lastIndexOf('/'))
      cut.add(pointer)
      say(
        pointer,
        kind === 'unknown'
          ? unknownProperty(schema, above, properties)
          : `must be ${expectedAt(schema, pointer)}`,
      )
    })
    for (const pointer of suspicions?.illFormed ?? []) say(pointer, 'must be valid Unicode without NUL')
    for (const error of everyError(validator(), kept)) {
      for (const [pointer, detail] of explain(schema, error, properties)) say(pointer, detail)
    }
    for (const name of future) say(`/${name}`, `must be ${expectedAt(schema, `/${name}`)}`)
    for (const pointer of suspicions?.inexact ?? [])
      if (!isBelow(pointer, cut)) say(pointer, `must be ${expectedAt(schema, pointer)}`)
    // What cannot be explained is refused all the same.
    if (details.size === 0) say('', 'has more errors than can be listed')
    return [...details].map(([pointer, detail]) =>
      place === 'pointer' ? { pointer: `#${pointer}`, detail } : { parameter: pointer.slice(1), detail },
    )
  }
}

const NO_ERRORS: readonly FieldError[] = []

/** More than a value within its bounds can have. */
const MAX_COLLECTED = 1000

/** Whether a pointer leads into something that has been refused as a whole. */
function isBelow(pointer: string, cut: ReadonlySet<string>): boolean {
  for (let end = pointer.indexOf('/', 1); end !== -1; end = pointer.indexOf('/', end + 1))
    if (cut.has(pointer.slice(0, end))) return true
  return false
}

/** TypeBox stops at eight errors, and an unknown property costs one before it is named. The setting is global. */
function everyError(validator: Validator, value: unknown): readonly SchemaError[] {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: MAX_COLLECTED })
  try {
    return validator.Errors(value)
  } finally {
    Settings.Set({ maxErrors })
  }
}

type SchemaError = { keyword: string; instancePath: string; params: object }

/** One error of the validator as pointers and sentences; several when it names several properties. */
function* explain(
  schema: TSchema,
  error: SchemaError,
  known: readonly string[],
): Generator<[string, string]> {
  const { keyword, instancePath, params } = error
  if (keyword === 'required' && 'requiredProperties' in params) {
    for (const name of params.requiredProperties as string[]) yield [`${instancePath}/${name}`, 'is required']
  } else if (keyword === 'additionalProperties' && 'additionalProperties' in params) {
    for (const name of params.additionalProperties as string[]) {
      yield [`${instancePath}${shownStep(name)}`, unknownProperty(schema, instancePath, known)]
    }
  } else if (keyword !== 'boolean') {
    // `boolean` is the closed object's own echo of additionalProperties.
    yield [instancePath, `must be ${expectedAt(schema, instancePath)}`]
  }
}

function unknownProperty(schema: TSchema, instancePath: string, known: readonly string[]): string {
  if (instancePath === '') return `is not known here; the known ones are ${known.join(', ')}`
  return `is not allowed: ${instancePath.slice(1)} must be ${expectedAt(schema, instancePath)}`
}

/** The `expected` words of the schema at a pointer, or of the nearest one above it. */
function expectedAt(schema: TSchema, pointer: string): string {
  let words = 'a JSON object'
  let at: unknown = schema
  for (const name of pointer.split('/').slice(1)) {
    at = childOf(at, name)
    if (!isObject(at)) break
    if (typeof at.expected === 'string') words = at.expected
  }
  return words
}

function childOf(schema: unknown, name: string): unknown {
  if (!isObject(schema)) return undefined
  if (isObject(schema.properties) && Object.hasOwn(schema.properties, name)) return schema.properties[name]
  if (isObject(schema.patternProperties)) return Object.values(schema.patternProperties)[0]
  return schema.items
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isPast(value: unknown, name: string, now: number): boolean {
  const date = isObject(value) ? value[name] : undefined
  return typeof date !== 'string' || date < instant(now).slice(0, 10)
}
