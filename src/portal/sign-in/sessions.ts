import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Awaitable } from '../../store/store.ts'
import type { ProvenKey, Registry } from '../../tokens/registry.ts'

/** Eight hours from the sign-in, whatever is done meanwhile. */
export const SESSION_SECONDS = 8 * 3600

export type Session = {
  /** 128 random bits. Known to the browser and to whoever reads the store, and not enough to make the cookie from. */
  readonly id: string
  readonly proven: ProvenKey
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

export type SessionParts = {
  /** A keyed digest that only this installation can make. */
  readonly sign: (text: string) => Buffer
  /** Whether the session was ended by a sign-out. */
  readonly hasEnded: (id: string, now: number) => Awaitable<boolean>
  /** Remembers that it was, as long as the session could have lived. @throws StoreUnavailable */
  readonly end: (id: string, expiresAt: number, now: number) => Promise<void>
}

export type Sessions = {
  /** A new session, and the value of its cookie. */
  readonly begin: (proven: ProvenKey, now: number) => { readonly session: Session; readonly cookie: string }
  /** The session of a cookie that is ours, in time, not ended, and whose key is still its partner's. */
  readonly read: (
    cookie: string | undefined,
    registry: Registry,
    now: number,
  ) => Awaitable<Session | undefined>
  readonly end: (session: Session, now: number) => Promise<void>
  /** What the forms of this session carry: another site cannot read it. */
  readonly formToken: (purpose: string) => string
  readonly isFormToken: (token: string | undefined, purpose: string) => boolean
}

/** keyId.expiry.id.signature */
const COOKIE = /^(key_[A-Za-z0-9_-]{1,60})\.([0-9]{13,16})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/

/**
 * A session is its signed cookie: signing in writes nothing, so it works on a full disk and after a restart. What is
 * kept is that a session was ended. The signature covers the hash of the sandbox key, so that a key that is replaced
 * under its id ends the sessions of the old one.
 */
export function createSessions({ sign, hasEnded, end }: SessionParts): Sessions {
  const signature = (keyId: string, expiresAt: string, id: string, { partner }: ProvenKey): Buffer => {
    const secret = partner.keys.find((key) => key.id === keyId)?.sha256 ?? ''
    return sign(['portal session', partner.id, keyId, expiresAt, id, secret].join('\n'))
  }
  const formToken = (purpose: string): Buffer => sign(`portal form\n${purpose}`)

  return {
    begin: (proven, now) => {
      const id = randomBytes(16).toString('base64url')
      const expiresAt = Math.floor(now) + SESSION_SECONDS * 1000
      const signed = signature(proven.keyId, String(expiresAt), id, proven).toString('base64url')
      return { session: { id, proven, expiresAt }, cookie: `${proven.keyId}.${expiresAt}.${id}.${signed}` }
    },
    read: (cookie, registry, now) => {
      const [, keyId = '', expiresAt = '', id = '', signed = ''] = COOKIE.exec(cookie ?? '') ?? []
      const proven = registry.key(keyId)
      if (!proven || now >= Number(expiresAt)) return undefined
      if (!timingSafeEqual(Buffer.from(signed, 'base64url'), signature(keyId, expiresAt, id, proven)))
        return undefined
      const session = { id, proven, expiresAt: Number(expiresAt) }
      const ended = hasEnded(id, now)
      if (typeof ended === 'boolean') return ended ? undefined : session
      return ended.then((is) => (is ? undefined : session))
    },
    end: (session, now) => end(session.id, session.expiresAt, now),
    formToken: (purpose) => formToken(purpose).toString('base64url'),
    isFormToken: (token, purpose) => {
      const sent = Buffer.from(token ?? '', 'base64url')
      const expected = formToken(purpose)
      return sent.length === expected.length && timingSafeEqual(sent, expected)
    },
  }
}
