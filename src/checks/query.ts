import type { TSchema } from 'typebox'
import type { FieldError } from '../errors/refusal.ts'

export type ParsedQuery = { readonly fields: Record<string, unknown>; readonly errors: readonly FieldError[] }

const OWN = { configurable: true, enumerable: true, writable: true } as const

const DIGITS = /^[0-9]{1,16}$/

/**
 * Reads a query string by its schema: parameters are texts, and digits where the schema wants an integer
 * (digits only: no sign, no exponent, no white space). Repeated parameters and broken encodings are errors.
 */
export function createQueryReader(schema: TSchema | undefined): (query: string) => ParsedQuery {
  const properties = propertiesOf(schema)
  const integers = new Set(Object.keys(properties).filter((name) => properties[name]?.type === 'integer'))
  return (query) => {
    const fields: Record<string, unknown> = {}
    if (query === '') return { fields, errors: [] }
    const errors: FieldError[] = []
    for (const part of query.split('&')) {
      if (part === '') continue
      const equals = part.indexOf('=')
      const name = decode(equals === -1 ? part : part.slice(0, equals))
      const value = decode(equals === -1 ? '' : part.slice(equals + 1))
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
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}

/** A parameter name comes from outside: shown only when it is short and plain. */
function shown(name: string | undefined): string {
  return name !== undefined && /^[A-Za-z0-9_.-]{1,64}$/.test(name) ? name : '(unreadable)'
}
