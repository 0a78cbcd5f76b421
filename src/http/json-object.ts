/** The members of a body that is a JSON object; undefined when it is none. */
export function jsonObject(body: Uint8Array | string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
