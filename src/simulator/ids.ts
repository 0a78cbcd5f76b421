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
const SESSION_ID = /^kws_[0-9A-Za-z]{9}[A-Za-z0-9_-]{22}-([a-z0-9][a-z0-9-]{0,39})$/

/** `random` returns n fresh random bytes; by default from a pool, because one call per id costs a microsecond. */
export function createIds(clock: Clock, random: (bytes: number) => Buffer = pooledRandom()): Ids {
  let last = 0
  // Microseconds since the epoch, strictly increasing: two ids of one millisecond still sort by creation.
  const order = (): string => {
    last = Math.max(clock.now() * 1000, last + 1)
    let rest = last
    let text = ''
    for (let i = 0; i < ORDER_LENGTH; i++) {
      text = (SORTED_DIGITS[rest % 62] ?? '0') + text
      rest = Math.floor(rest / 62)
    }
    return text
  }
  return {
    next: (prefix) => `${prefix}_${order()}${random(12).toString('base64url')}`,
    session: (partnerId) => `kws_${order()}${random(16).toString('base64url')}-${partnerId}`,
    request: () => `req_${random(12).toString('base64url')}`,
  }
}

/** The partner that a session id names, or undefined when the text is not a session id. */
export function partnerOfSession(sessionId: string): string | undefined {
  return SESSION_ID.exec(sessionId)?.[1]
}

function pooledRandom(): (bytes: number) => Buffer {
  const pool = Buffer.alloc(4096)
  let used = pool.length
  return (bytes) => {
    if (used + bytes > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += bytes
    return pool.subarray(used - bytes, used)
  }
}
