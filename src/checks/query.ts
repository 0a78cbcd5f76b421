import type { TSchema } from 'typebox'
import type { FieldError } from '../errors/refusal.ts'
import { decodeForm } from '../http/percent.ts'

export type ParsedQuery = { readonly fields: Record<string, unknown>; readonly errors: readonly FieldError[] }

const OWN = { configurable: true, enumerable: true, writable: true } as const

const NO_ERRORS: readonly FieldError[] = []

const DIGITS = /^[0-9]{1,16}$/

/**
 * Reads a query string by its schema: parameters are texts, and digits where the schema wants an integer
 * (digits only: no sign, no exponent, no white space). Repeated parameters and broken encodings are errors.
 */
export function createQueryReader(schema: TSchema | undefined): (query: string) => ParsedQuery {
  const properties = propertiesOf(schema)
  const names = Object.keys(properties)
  const integers = new Set(names.filter((name) => properties[name]?.type === 'integer'))
  return (query) => {
    if (query === '') return { fields: {}, errors: NO_ERRORS }
    const fields: Record<string, unknown> = {}
    const errors: FieldError[] = []
    for (let start = 0, end = 0; start < query.length; start = end + 1) {
      end = query.indexOf('&', start)
      if (end === -1) end = query.length
      if (end === start) continue
      let equals = query.indexOf('=', start)
      if (equals === -1 || equals > end) equals = end
      const sent = decode(query.slice(start, equals))
      // The schema's own text for a known name, which is a key of other objects already.
      const name = names.find((known) => known === sent) ?? sent
      const value = decode(query.slice(equals + 1, end))
      if (name === undefined || value === undefined) {
        errors.push({ parameter: shown(name), detail: 'is not valid percent-encoded UTF-8' })
      } else if (Object.hasOwn(fields, name)) {
        errors.push({ parameter: shown(name), detail: 'must be sent once' })
      } else {
        // Digits alone become a number; any other text stays one and fails the schema's type.
        const read = integers.has(name) && DIGITS.test(value) ? Number(value) : value
        // Assigning to this one name would change what the object inherits from.
        if (name === '__proto__') Object.defineProperty(fields, name, { ...OWN, value: read })
        else fields[name] = read
      }
    }
    return { fields, errors }
  }
}

export function propertiesOf(
  schema: TSchema | undefined,
): Record<string, { type?: unknown; past?: unknown }> {
  return schema && 'properties' in schema ? (schema.properties as Record<string, { type?: unknown }>) : {}
}

function decode(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text
  const decoded = decodeForm(text)
  return decoded?.includes('\0') ? undefined : decoded
}

/** A parameter name comes from outside: shown only when it is short and plain. */
function shown(name: string | undefined): string {
  return name !== undefined && /^[A-Za-z0-9_.-]{1,64}$/.test(name) ? name : '(unreadable)'
}
