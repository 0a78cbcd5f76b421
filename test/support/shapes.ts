/** RFC 3339, UTC, with milliseconds. */
export const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/

/** An identifier with a prefix and at least 96 random bits, written with URL-safe characters. */
export const id = (prefix: string): RegExp => new RegExp(`^${prefix}_[A-Za-z0-9_-]{16,160}$`)
