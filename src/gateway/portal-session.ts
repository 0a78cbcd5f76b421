import { createHmac } from 'node:crypto'
import { bearerToken } from '../http/authorization.ts'
import { readCookie, SESSION_COOKIE } from '../portal/sign-in/cookies.ts'
import { createSessions, type Session, type Sessions } from '../portal/sign-in/sessions.ts'
import { type Awaitable, type Store, StoreUnavailable } from '../store/store.ts'
import type { Authentication, Principal } from '../tokens/verify.ts'
import { after } from './awaitable.ts'
import type { Edge } from './context.ts'
import { takesSession } from './endpoint.ts'
import type { Exchange } from './exchange.ts'

const NOBODY: Authentication = { kind: 'none' }

/** Whether the portal's cookie is asked who this is. A bearer token that is sent goes before it. */
export function asksSession({ sessions }: Edge, { endpoint, req }: Exchange): boolean {
  return (
    sessions !== undefined && takesSession(endpoint) && bearerToken(req.headers.authorization) === undefined
  )
}

/** Who has signed in: judged anew for each request, as a token is. */
export function authenticateSession(edge: Edge, exchange: Exchange): Awaitable<Authentication> {
  const { req, settings, arrivedAt } = exchange
  const cookie = readCookie(req.headers.cookie, SESSION_COOKIE)
  return after(edge.sessions?.read(cookie, settings.registry, arrivedAt), (session) => {
    if (!session) return NOBODY
    exchange.signedIn = { session, principal: principalOf(session) }
    return { kind: 'known', principal: exchange.signedIn.principal }
  })
}

function principalOf({ proven, expiresAt }: Session): Principal {
  const { partner, keyId, scopes } = proven
  return { partner, keyId, tenant: partner.tenant, scopes: new Set(scopes), expiresAt }
}

/** Kept beside the tenants' data: a partner that empties its tenant ends no session and revives none. */
const KEPT_UNDER = 'portal'
/** Sign-outs that could not be written are remembered by the process alone. */
const MAX_UNWRITTEN = 10_000

export function portalSessions(store: Store): Sessions {
  const unwritten = new Map<string, number>()
  return createSessions({
    // Asked when it is needed: a store may make its secret while it opens.
    sign: (text) => createHmac('sha256', store.secret()).update(text).digest(),
    hasEnded: (id, now) =>
      unwritten.has(id) ||
      after(store.get('ended-session', KEPT_UNDER, id, now), (record) => record !== undefined),
    end: async (id, expiresAt, now) => {
      try {
        await writeEnd(store, id, expiresAt, now)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        for (const [each, until] of unwritten)
          if (until <= now || unwritten.size >= MAX_UNWRITTEN) unwritten.delete(each)
        unwritten.set(id, expiresAt)
      }
    },
  })
}

async function writeEnd(store: Store, id: string, expiresAt: number, now: number): Promise<void> {
  const verdict = await store.admit({ partner: KEPT_UNDER, caps: [], effect: 'local' }, now)
  if (verdict.kind !== 'admitted') throw new TypeError('work without window, key and caps is admitted')
  const record = {
    kind: 'ended-session',
    tenant: KEPT_UNDER,
    id,
    value: true,
    ifPresent: 'keep',
    expiresAt,
  } as const
  await store.settle(
    { permit: verdict.permit, outcome: 'finished', commitCaps: false, records: [record] },
    now,
  )
}
