/** Longer bodies are searched as they are. */
const MAX_LENGTH = 8192
const MAX_DEPTH = 16
const ESCAPED = /[\\%&<\0\x80-\xff]/

/** A name of an interface. */
const NAME = /^[A-Za-z_]{1,24}$/
/** A code, a country, a word. */
const WORD = /^[A-Za-z][A-Za-z0-9]{0,14}$/
const INSTANT =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2}))?$/
/** A number with as many digits as a card. */
const MUCH = 1e14

/**
 * What of a JSON text can hold a secret or a person by its form: everything but plain names, words, instants and numbers,
 * of which nobody can tell more than their fields do. Undefined when it is no JSON, or holds what is escaped.
 */
export function tellingParts(text: string): string | undefined {
  const first = text.charCodeAt(0)
  if ((first !== 0x7b && first !== 0x5b) || text.length > MAX_LENGTH || ESCAPED.test(text)) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const found: Found = { parts: [], strings: 0 }
  // Of a name that stands twice, only the last value was parsed.
  return collect(value, found, 0) && 2 * found.strings === quotesIn(text) ? found.parts.join('\n') : undefined
}

type Found = { readonly parts: string[]; strings: number }

function quotesIn(text: string): number {
  let quotes = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes++
  return quotes
}

function collect(value: unknown, found: Found, depth: number): boolean {
  const { parts } = found
  if (typeof value === 'string') {
    found.strings++
    if (!WORD.test(value) && !INSTANT.test(value)) parts.push(value)
    return true
  }
  if (typeof value === 'number') {
    if (!(Math.abs(value) < MUCH)) parts.push(String(value))
    return Number.isSafeInteger(value) || Math.abs(value) < MUCH
  }
  if (typeof value !== 'object' || value === null) return true
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) {
    // Bytes one by one are a text of their own.
    if (value.length >= 8 && typeof value[0] === 'number') return false
    return value.every((each) => collect(each, found, depth + 1))
  }
  for (const name in value) {
    found.strings++
    if (!NAME.test(name)) parts.push(name)
    if (!collect((value as Readonly<Record<string, unknown>>)[name], found, depth + 1)) return false
  }
  return true
}
