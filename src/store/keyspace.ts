import { periodEnd, periodStart } from './period.ts'
import type { CapDemand, CapPeriod, CapUnit, StoredAnswer } from './store.ts'

/**
 * How the stores name and encode what they keep. Keys are strings whose parts are separated by NUL (which no part may
 * hold, so that no name can reach into another partner's or tenant's). Values are bytes. Everything that expires
 * begins with its expiry instant (a big-endian double, Infinity for never), so that the sweep can judge any of it.
 *
 *   a owner key                          a finished answer (on disk in order of arrival: arrival-order.ts)
 *   c partner product period unit start  a cap counter
 *   r kind owner id                      a record
 *   h partner resolution start           what a partner did in an hour or a day
 *   f partner slot                       a few of a partner's recent refusals; `head` counts them
 *   u partner key fence                  the `started` marker of a remote effect
 *   q kind owner                         how much of a quota an owner holds (records, or bytes of answers)
 *   n kind tenant-or-partner             the number of its generation; the first has none
 *   g kind owner                         a generation that was ended and is still to be deleted
 *   i h segment / i b segment block      the index of finished answers (answer-index.ts)
 *   e expiry name-of-an-expiring-entry   the expiry index
 *   m …                                  what belongs to the installation
 *
 * An owner is a tenant (of records) or a partner (of answers), with `#` and the number of its generation from the
 * second on: beginning another one is how everything of a kind is absent at once, however much it is.
 */
const SEPARATOR = '\0'

/** LMDB's own bound with 4 KiB pages is 1978 bytes; an index entry adds 18 to the name it points to. */
const MAX_NAME_BYTES = 1900

/** Cap counters are kept this long after their period, for questions about last month. */
const CAP_KEPT_MS = 40 * 24 * 3_600_000

function name(...parts: readonly string[]): string {
  for (const part of parts) {
    if (part.includes(SEPARATOR)) throw new RangeError('a name may not hold a NUL')
  }
  const joined = parts.join(SEPARATOR)
  if (Buffer.byteLength(joined) > MAX_NAME_BYTES) throw new RangeError('a name is too long for the store')
  return joined
}

export const answerName = (owner: string, key: string): string => name('a', owner, key)
export const ANSWER_PREFIX = `a${SEPARATOR}`
export const recordName = (kind: string, owner: string, id: string): string => name('r', kind, owner, id)
/** What all records of one kind and owner begin with. */
export const recordPrefix = (kind: string, owner: string): string => name('r', kind, owner) + SEPARATOR
export const quotaName = (kind: string, owner: string): string => name('q', kind, owner)
export const generationName = (kind: string, who: string): string => name('n', kind, who)
const ordinal = (count: number): string => String(count).padStart(9, '0')
export const indexHeaderName = (segment: number): string => name('i', 'h', ordinal(segment))
export const indexBlockName = (segment: number, block: number): string =>
  name('i', 'b', ordinal(segment), ordinal(block))
export const indexHeaderBounds = { from: `i${SEPARATOR}h${SEPARATOR}`, to: `i${SEPARATOR}i` }
export const segmentOf = (header: string): number => Number(header.slice(indexHeaderBounds.from.length))
export const retiredName = (kind: string, owner: string): string => name('g', kind, owner)
export const RETIRED_PREFIX = `g${SEPARATOR}`
/** Who, in a generation; numbers count from 0. */
export const ownerName = (who: string, generation: number): string =>
  generation === 0 ? who : `${who}#${generation}`
/** The parts of a name, without the letter that says what it is. */
export const partsOf = (entry: string): string[] => entry.split(SEPARATOR).slice(1)
export const markerName = (partner: string, key: string, fence: number): string =>
  name('u', partner, key, String(fence))
export const MARKER_PREFIX = `u${SEPARATOR}`
/** The digits of an instant sort as it does. */
export const historyName = (partner: string, resolution: string, start: number): string =>
  name('h', partner, resolution, digits(start))
export const refusalsName = (partner: string, slot: number | 'head'): string =>
  name('f', partner, String(slot))
export const installationName = (what: string): string => name('m', what)

/** The counter of a cap in the period that holds `at`. */
export function capName(
  partner: string,
  cap: { product: string; period: CapPeriod; unit: CapUnit },
  at: number,
): string {
  return name('c', partner, cap.product, cap.period, cap.unit, String(periodStart(cap.period, at)))
}

export const capExpiresAt = (period: CapPeriod, at: number): number => periodEnd(period, at) + CAP_KEPT_MS

const EXPIRY_PREFIX = `e${SEPARATOR}`
/** Sixteen digits hold every safe integer, and equal lengths sort as numbers do. */
const digits = (instant: number): string => String(Math.max(0, Math.ceil(instant))).padStart(16, '0')

export const expiryName = (expiresAt: number, entry: string): string =>
  `${EXPIRY_PREFIX}${digits(expiresAt)}${SEPARATOR}${entry}`
export const expiryBounds = (now: number): { from: string; to: string } => ({
  from: EXPIRY_PREFIX,
  to: `${EXPIRY_PREFIX}${digits(Math.floor(now) + 1)}`,
})
/** When an entry of the index expires: milliseconds since the epoch. */
export const instantOfExpiry = (expiry: string): number =>
  Number(expiry.slice(EXPIRY_PREFIX.length, EXPIRY_PREFIX.length + 16))
export const entryOfExpiry = (expiry: string): string => expiry.slice(EXPIRY_PREFIX.length + 17)

/** What an index entry holds: it only has to be there (LMDB's binding dislikes empty values). */
export const PRESENT = Buffer.from([1])

export const expiresAtOf = (value: Buffer): number => value.readDoubleBE(0)

export function encodeNumber(expiresAt: number, count: number): Buffer {
  const value = Buffer.allocUnsafe(16)
  value.writeDoubleBE(expiresAt, 0)
  value.writeDoubleBE(count, 8)
  return value
}

export const decodeNumber = (value: Buffer): number => value.readDoubleBE(8)

export function encodeRecord(expiresAt: number, record: unknown): Buffer {
  const json = JSON.stringify(record)
  if (json === undefined) throw new TypeError('a record must be a JSON value')
  const value = Buffer.allocUnsafe(8 + Buffer.byteLength(json))
  value.writeDoubleBE(expiresAt, 0)
  value.write(json, 8)
  return value
}

export const decodeRecord = (value: Buffer): unknown => JSON.parse(value.toString('utf8', 8))

export type FinishedAnswer = { readonly fingerprint: string; readonly answer: StoredAnswer }

/**
 * expiry 8, status 2, length of the fingerprint 2, length of the headers 4, fingerprint, headers (JSON), body. Headers
 * are an object by name, or a list of lines.
 */
export function encodeAnswer(expiresAt: number, fingerprint: string, answer: StoredAnswer): Buffer {
  const headers = JSON.stringify(answer.lines ?? answer.headers)
  const fingerprintBytes = Buffer.byteLength(fingerprint)
  const headerBytes = Buffer.byteLength(headers)
  const { body } = answer
  const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const value = Buffer.allocUnsafe(16 + fingerprintBytes + headerBytes + bodyBytes)
  value.writeDoubleBE(expiresAt, 0)
  value.writeUInt16BE(answer.status, 8)
  value.writeUInt16BE(fingerprintBytes, 10)
  value.writeUInt32BE(headerBytes, 12)
  value.write(fingerprint, 16)
  value.write(headers, 16 + fingerprintBytes)
  if (typeof body === 'string') value.write(body, 16 + fingerprintBytes + headerBytes)
  else body.copy(value, 16 + fingerprintBytes + headerBytes)
  return value
}

export function decodeAnswer(value: Buffer): FinishedAnswer {
  const headersAt = 16 + value.readUInt16BE(10)
  const bodyAt = headersAt + value.readUInt32BE(12)
  const headers = JSON.parse(value.toString('utf8', headersAt, bodyAt))
  return {
    fingerprint: value.toString('utf8', 16, headersAt),
    answer: {
      status: value.readUInt16BE(8),
      ...(Array.isArray(headers) ? { headers: {}, lines: headers } : { headers }),
      body: Buffer.from(value.subarray(bodyAt)),
    },
  }
}

/** What has to be known about a remote effect after a crash. */
export type Marker = {
  readonly partner: string
  /** The idempotency key, or `#` and the fence where the work had none. */
  readonly key: string
  readonly fingerprint: string
  readonly fence: number
  readonly caps: readonly CapDemand[]
  readonly admittedAt: number
  /** When the reservation of an outcome that nobody learned is committed. */
  readonly deadline: number
}

export const encodeMarker = (marker: Marker): Buffer => Buffer.from(JSON.stringify(marker))
export const decodeMarker = (value: Buffer): Marker => JSON.parse(value.toString())
