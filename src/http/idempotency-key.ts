const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The key that the value of an Idempotency-Key header means: the IETF draft quotes it, and case does not matter. */
export function idempotencyKey(value: string): string {
  const text = value.trim()
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"')
  return (isQuoted ? text.slice(1, -1) : text).toLowerCase()
}

/** Whether a key is a UUID v4, as this interface asks for; lower case. */
export function isUuidV4(key: string): boolean {
  return UUID_V4.test(key)
}
