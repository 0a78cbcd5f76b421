/** Takes out of a text what is known to be a secret by now. */
export type CleanText = (text: string) => string

/**
 * A part of a recording in which every text has been gone through once more: what an answer has shown may turn out to be
 * a token only when somebody uses it. Bodies are bytes, in base64 where the journal cannot hold them otherwise.
 */
export function scrubbed<T>(value: T, clean: CleanText): T {
  return scrub(value, clean) as T
}

function scrub(value: unknown, clean: CleanText): unknown {
  if (typeof value === 'string') return clean(value)
  if (value instanceof Uint8Array) return cleanBytes(value, clean)
  if (Array.isArray(value)) return value.map((item) => scrub(item, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, held]): [string, unknown] => {
      if (name !== 'base64' || typeof held !== 'string') return [name, scrub(held, clean)]
      const bytes = Buffer.from(held, 'base64')
      const cleaned = cleanBytes(bytes, clean)
      return [name, cleaned === bytes ? held : Buffer.from(cleaned).toString('base64')]
    }),
  )
}

/** Bytes that are no UTF-8 are read one to one: what is taken out of them is ASCII. */
function cleanBytes(bytes: Uint8Array, clean: CleanText): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1')
  const cleaned = clean(text)
  return cleaned === text ? bytes : Buffer.from(cleaned, 'latin1')
}
