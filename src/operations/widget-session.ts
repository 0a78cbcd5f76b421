import type { Static } from 'typebox'
import { instant } from '../clock.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import type { Awaitable } from '../store/store.ts'
import * as field from './fields.ts'
import { done, type Fields, type Operation, pick } from './operation.ts'

const Body = field.closed({
  customerRef: field.optional(field.CustomerRef),
  phone: field.optional(field.Phone),
  redirectUrl: field.optional(field.RedirectUrl),
})

export const Session = field.closed({
  sessionId: field.SessionId,
  url: field.WidgetUrl,
  createdAt: field.Instant('When the session was created.'),
  expiresAt: field.Instant('When the session stops taking a decision.'),
})

/** What is kept of a session. Milliseconds since the epoch. */
export type StoredSession = Static<typeof Session> & {
  readonly partnerId: string
  readonly expiresAtMs: number
  readonly customerRef?: string
  readonly phone?: string
  readonly redirectUrl?: string
}

/** Sessions are kept for 30 days, so that 410 stays 410. */
export const SESSION_KEPT_MS = 30 * 24 * 3_600_000

export const sessionExample = {
  sessionId: 'kws_0VhYx3kQmAbCdEfGhIjKlMnOpQrStUv-demo',
  url: 'http://127.0.0.1:8080/kyc/widget/kws_0VhYx3kQmAbCdEfGhIjKlMnOpQrStUv-demo',
  createdAt: '2026-01-15T09:30:00.000Z',
  expiresAt: '2026-01-15T09:45:00.000Z',
}

export const widgetSession: Operation = {
  id: 'kyc.widget.session',
  method: 'POST',
  path: '/v1/kyc/widget/session',
  summary: 'Create a KYC widget session',
  description: 'Creates a session with a URL to open. It takes one decision and expires after 15 minutes.',
  tag: 'Identity',
  auth: 'kyc:initiate',
  group: 'other',
  countsPer: 'partner',
  creates: 'sessions',
  body: Body,
  success: {
    status: 201,
    description: 'The session and its URL.',
    schema: Session,
    location: true,
    example: sessionExample,
  },
  errors: [],
  exampleBody: { customerRef: 'CUS-0001', phone: '+2250700000001' },
  simulate: (call, { ids, publicUrl, config }) => {
    const sessionId = ids.session(call.partner.id)
    const expiresAtMs = call.now + config.widget.sessionMinutes * 60_000
    const session = {
      sessionId,
      url: `${publicUrl()}/kyc/widget/${sessionId}`,
      createdAt: instant(call.now),
      expiresAt: instant(expiresAtMs),
    }
    const stored = {
      ...session,
      ...pick(call.body, ['customerRef', 'phone', 'redirectUrl']),
      partnerId: call.partner.id,
      expiresAtMs,
    }
    return done(201, session, {
      location: `/v1/kyc/widget/session/${sessionId}`,
      records: [
        {
          kind: 'session',
          tenant: call.tenant,
          id: sessionId,
          value: stored,
          ifPresent: 'refuse',
          expiresAt: call.now + SESSION_KEPT_MS,
        },
      ],
    })
  },
}

export type FoundSession =
  | { readonly kind: 'open'; readonly session: StoredSession; readonly decision?: Fields }
  | { readonly kind: 'gone'; readonly refusal: Refusal; readonly session?: StoredSession }

/** A session that still takes a decision (or has one), or the refusal: unknown 404, expired 410. */
export async function findSession(
  records: {
    get: <T>(
      kind: 'session' | 'decision',
      tenant: string,
      id: string,
      now: number,
    ) => Awaitable<T | undefined>
  },
  tenant: string,
  sessionId: string,
  now: number,
): Promise<FoundSession> {
  const session = await records.get<StoredSession>('session', tenant, sessionId, now)
  if (!session) {
    return {
      kind: 'gone',
      refusal: refuse('KYC_SESSION_NOT_FOUND', 'There is no widget session with this sessionId.'),
    }
  }
  if (now >= session.expiresAtMs) {
    const refusal = refuse('KYC_SESSION_EXPIRED', `The widget session expired at ${session.expiresAt}.`)
    return { kind: 'gone', refusal, session }
  }
  const decision = await records.get<Fields>('decision', tenant, sessionId, now)
  return { kind: 'open', session, ...(decision && { decision }) }
}
