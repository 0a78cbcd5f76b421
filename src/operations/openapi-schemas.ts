import type { TSchema } from 'typebox'
import { ANNOTATIONS } from './annotations.ts'
import * as field from './fields.ts'

/** A piece of an OpenAPI document: plain JSON. */
export type Json = { readonly [key: string]: unknown }

/** Requests are closed; answers may gain properties within /v1, so their schemas do not forbid them. */
export type Side = 'request' | 'response'

export type Schemas = {
  /** A schema where it stands, with what is shared replaced by references. */
  readonly inline: (schema: TSchema, side: Side) => Json
  /** A reference to a component; the same schema under two names is one component. */
  readonly named: (name: string, schema: TSchema, side: Side) => Json
  /** A component that is JSON already. */
  readonly plain: (name: string, schema: Json) => Json
  /** Every component that is referred to, by name in alphabetical order. */
  readonly components: () => Json
}

/** Fields that operations share and that generated clients are glad to have a name for. */
const SHARED: Readonly<Record<string, TSchema>> = {
  AccountId: field.AccountId,
  Amount: field.Amount,
  BusinessRef: field.BusinessRef,
  Country: field.Country,
  Currency: field.Currency,
  CustomerRef: field.CustomerRef,
  DateOfBirth: field.DateOfBirth,
  Document: field.Document,
  EventNames: field.EventNames,
  Metadata: field.Metadata,
  Phone: field.Phone,
  SessionId: field.SessionId,
  SimulationId: field.SimulationId,
  TermMonths: field.TermMonths,
  WebhookId: field.WebhookId,
  WebhookUrl: field.WebhookUrl,
}

const OURS: ReadonlySet<string> = new Set(ANNOTATIONS)

export function createSchemas(): Schemas {
  const used = new Map<string, Json>()
  // By content: an optional field is a copy of its schema, so identity would not find it.
  const names = new Map<string, { name: string; schema: Json }>()
  for (const [name, shared] of Object.entries(SHARED)) {
    const schema = clean(shared, 'request', (child) => child)
    names.set(JSON.stringify(schema), { name, schema })
  }

  function share(schema: Json): Json {
    const known = names.get(JSON.stringify(schema))
    if (!known) return schema
    used.set(known.name, known.schema)
    return refTo('schemas', known.name)
  }

  function plain(name: string, schema: Json): Json {
    const key = JSON.stringify(schema)
    const known = names.get(key)
    if (!known) {
      if (used.has(name)) throw new TypeError(`two schemas want to be called ${name}`)
      names.set(key, { name, schema })
    }
    return share(schema)
  }

  return {
    inline: (schema, side) => share(clean(schema, side, share)),
    named: (name, schema, side) => plain(name, clean(schema, side, share)),
    plain,
    components: () => Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

export function refTo(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` }
}

/** JSON Schema 2020-12 out of a schema of ours; `share` is applied to every schema inside it. */
function clean(schema: object, side: Side, share: (child: Json) => Json): Json {
  const child = (value: unknown): unknown => (isObject(value) ? share(clean(value, side, share)) : value)
  const cleaned: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (OURS.has(key) || key.startsWith('~') || typeof value === 'function') continue
    if (key === 'properties' && isObject(value)) {
      cleaned.properties = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, child(each)]),
      )
    } else if (key === 'patternProperties' && isObject(value))
      Object.assign(cleaned, dictionary(value, child))
    else if (key === 'additionalProperties') {
      if (side === 'request' && !('patternProperties' in schema)) cleaned[key] = child(value)
    } else if (key === 'items') cleaned[key] = child(value)
    else if (key === 'anyOf' && Array.isArray(value)) cleaned[key] = value.map(child)
    else cleaned[key] = value
  }
  // No text of ours holds U+0000; what has a pattern, a form or a list of values says so already.
  const isFreeText = cleaned.type === 'string' && !cleaned.pattern && !cleaned.format && !cleaned.enum
  if (isFreeText) cleaned.pattern = '^[^\\u0000]*$'
  return cleaned
}

/** The same rule in the keywords that generators of clients understand. */
function dictionary(patterns: object, child: (value: unknown) => unknown): Json {
  const entries = Object.entries(patterns)
  const [first] = entries
  if (!first || entries.length > 1) throw new TypeError('a dictionary has one pattern for its keys')
  return { propertyNames: { pattern: first[0] }, additionalProperties: child(first[1]) }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
