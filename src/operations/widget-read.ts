import { inLanguage } from './decide.ts'
import * as field from './fields.ts'
import { KycDecision } from './kyc-submit.ts'
import { done, type Operation, pick } from './operation.ts'
import { findSession, Session, sessionExample } from './widget-session.ts'

export const widgetRead: Operation = {
  id: 'kyc.widget.read',
  method: 'GET',
  path: '/v1/kyc/widget/session/{sessionId}',
  summary: 'Read a KYC widget session',
  description: 'The session, and its decision once there is one. 410 when it has expired.',
  tag: 'Identity',
  auth: 'kyc:initiate',
  group: 'other',
  countsPer: 'partner',
  params: { sessionId: field.SessionId },
  success: {
    status: 200,
    description: 'The session.',
    schema: field.closed({
      ...Session.properties,
      customerRef: field.optional(field.CustomerRef),
      decision: field.optional(KycDecision),
    }),
    example: { ...sessionExample, customerRef: 'CUS-0001' },
  },
  errors: ['KYC_SESSION_NOT_FOUND', 'KYC_SESSION_EXPIRED'],
  simulate: async (call, { records }) => {
    const found = await findSession(records, call.tenant, call.params.sessionId ?? '', call.now)
    if (found.kind === 'gone') return { kind: 'refused', refusal: found.refusal, stored: false }
    const { rule: _, ...decision } = found.decision ?? {}
    return done(200, {
      ...pick(found.session, ['sessionId', 'url', 'createdAt', 'expiresAt', 'customerRef']),
      ...(found.decision && { decision: inLanguage(decision, call.language) }),
    })
  },
}
