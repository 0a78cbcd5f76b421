import { randomFillSync } from 'node:crypto'
import type { Clock } from '../clock.ts'

/** The prefixes of every identifier that the gateway makes. There is none for a live key: none is ever minted. */
export type IdPrefix = 'acc' | 'kyc' | 'kyb' | 'pay' | 'sim' | 'crd' | 'wh' | 'evt'

export type Ids = {
  /** A new identifier: prefix, creation order (9 characters that sort), 96 random bits. Ids sort by creation. */
  next(prefix: IdPrefix): string
  /** A widget session: 128 random bits, and its partner, so that a page without a token finds its tenant. */
  session(partnerId: string): string
  /** A request id: 96 random bits, no order. */
  request(): string
}

// In ASCII order, so that text order is creation order.
const SORTED_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ORDER_LENGTH = 9
const LOW = 62 ** 3
const SESSION_ID = /^kws_[0-9A-Za-z]{9}[A-Za-z0-9_-]{22}-([a-z0-9][a-z0-9-]{0,39})$/

/** `random` returns n fresh random bytes; by default from a pool that is filled for many ids at once. */
export function createIds(clock: Clock, random?: (bytes: number) => Buffer): Ids {
  const text = random ? (bytes: number) => random(bytes).toString('base64url') : pooledRandom()
  let last = 0
  let high = -1
  let highText = ''
  // Microseconds since the epoch, strictly increasing: two ids of one millisecond still sort by creation.
  const order = (): string => {
    last = Math.max(clock.now() * 1000, last + 1)
    // All but the last three digits stay the same for a quarter of a second.
    const newHigh = Math.floor(last / LOW)
    if (newHigh !== high) {
      high = newHigh
      highText = sorted(high, ORDER_LENGTH - 3)
    }
    return highText + sorted(last % LOW, 3)
  }
  return {
    next: (prefix) => `${prefix}_${order()}${text(12)}`,
    session: (partnerId) => `kws_${order()}${text(16)}-${partnerId}`,
    request: () => `req_${text(12)}`,
  }
}

/** A number in digits that sort as text. */
function sorted(number: number, length: number): string {
  let rest = number
  let text = ''
  for (let i = 0; i < length; i++) {
    text = (SORTED_DIGITS[rest % 62] ?? '0') + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** The partner that a session id names, or undefined when the text is not a session id. */
export function partnerOfSession(sessionId: string): string | undefined {
  return SESSION_ID.exec(sessionId)?.[1]
}

/** Every character of base64url is six random bits, so text for `bytes` bytes may be cut from the pool anywhere. */
function pooledRandom(): (bytes: number) => string {
  const bytesOfPool = Buffer.alloc(3072)
  let pool = ''
  let used = 0
  return (bytes) => {
    const length = Math.ceil((bytes * 8) / 6)
    if (used + length > pool.length) {
      pool = randomFillSync(bytesOfPool).toString('base64url')
      used = 0
    }
    used += length
    return pool.slice(used - length, used)
  }
}
