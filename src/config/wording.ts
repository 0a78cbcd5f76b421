import { isMapping } from './paths.ts'

/** The part of JSON Schema that schema.ts uses, and its own options. */
export type Schema = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[] | undefined
  readonly patternProperties?: Readonly<Record<string, Schema>>
  /** False on every mapping: check.ts refuses what no property or pattern names. */
  readonly additionalProperties?: boolean
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly minProperties?: number
  readonly pattern?: string
  readonly format?: string
  readonly default?: unknown
  readonly description?: string
  readonly reload?: boolean
  readonly secret?: boolean
  readonly shape?: string
  readonly explain?: string
  readonly explainKeys?: Readonly<Record<string, string>>
  /** How TypeBox marks a schema whose type we state (oneOf in schema.ts). */
  readonly '~unsafe'?: unknown
}

/** Every keyword that check.ts and the reference read; one that is not here would check nothing. */
export const KEYWORDS = [
  'type',
  'enum',
  'anyOf',
  'properties',
  'required',
  'patternProperties',
  'additionalProperties',
  'items',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'minProperties',
  'pattern',
  'format',
  'default',
  'description',
  'reload',
  'secret',
  'shape',
  'explain',
  'explainKeys',
  '~unsafe',
] as const satisfies readonly (keyof Schema)[]

/** `must be an integer from 0 to 65535` */
export function expected(schema: Schema): string {
  return `must be ${typeText(schema)}`
}

/** What a setting takes, in words; the reference shows it as well. */
export function typeText(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ')
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  if (schema.type === 'integer' || schema.type === 'number') {
    const noun = schema.type === 'integer' ? 'an integer' : 'a number'
    if (schema.minimum === undefined) return noun
    if (schema.maximum === undefined) return `${noun} of at least ${schema.minimum}`
    return `${noun} from ${schema.minimum} to ${schema.maximum}`
  }
  return NOUNS[schema.type ?? ''] ?? 'anything'
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
}

/** `, not "abc"`, with what is probably the way out. A secret is never shown. */
export function unlike(schema: Schema, value: unknown): string {
  const secret = schema.secret || schema.anyOf?.some((branch) => branch.secret)
  const shown = secret ? '' : `, not ${valueText(value)}`
  if (schema.explain !== undefined) return `${shown}: ${schema.explain}`
  const takes = (type: string) => schema.type === type || schema.anyOf?.some((branch) => branch.type === type)
  if (takes('string') && !schema.enum && (typeof value === 'number' || typeof value === 'boolean')) {
    return `${shown} (put it in quotes)`
  }
  const numeric = schema.type === 'integer' || schema.type === 'number'
  if (numeric && typeof value === 'string' && /^-?[0-9]+$/.test(value))
    return `${shown} (leave out the quotes)`
  if (value === null && schema.type === 'array') return `${shown} (write [] for an empty one)`
  return shown
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isMapping(value)) return 'a mapping'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value)
}
