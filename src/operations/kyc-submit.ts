import type { ErrorCode } from '../errors/catalogue.ts'
import { KYC_OUTCOMES } from '../simulator/rules.ts'
import { decide, inLanguage } from './decide.ts'
import { decisionFields } from './decision-schema.ts'
import * as field from './fields.ts'
import {
  type Call,
  type Decided,
  done,
  type Fields,
  type Operation,
  pick,
  type Simulation,
} from './operation.ts'
import { findSession, SESSION_KEPT_MS } from './widget-session.ts'

const Body = field.closed({
  phone: field.Phone,
  customerRef: field.optional(field.CustomerRef),
  firstName: field.optional(field.FirstName),
  lastName: field.optional(field.LastName),
  dateOfBirth: field.optional(field.DateOfBirth),
  country: field.optional(field.Country),
  document: field.optional(field.Document),
  sessionId: field.optional(field.SessionId),
  metadata: field.optional(field.Metadata),
})

export const KycDecision = field.closed({
  kycId: field.KycId,
  phone: field.Phone,
  customerRef: field.optional(field.CustomerRef),
  sessionId: field.optional(field.SessionId),
  ...decisionFields(KYC_OUTCOMES),
})

/** An expired session says nothing about the dossier; that a session is unknown is what the decision found. */
const MOMENTARY: readonly ErrorCode[] = ['KYC_SESSION_EXPIRED']

export const kycSubmit: Operation = {
  id: 'kyc.submit',
  method: 'POST',
  path: '/v1/kyc/submit',
  summary: 'Submit an identity dossier',
  description:
    "Decides at once. With the sessionId of a widget session it is that session's one decision; a session that has one shows it again.",
  tag: 'Identity',
  auth: 'kyc:initiate',
  group: 'kyc.submit',
  countsPer: 'partner',
  cap: { product: 'kyc' },
  outcomes: KYC_OUTCOMES,
  body: Body,
  success: {
    status: 200,
    description: 'The decision, an approval or a rejection.',
    schema: KycDecision,
    example: {
      kycId: 'kyc_0VhYx3kQm4Zq9TtB2nR7wLc1d',
      phone: '+2250700000001',
      outcome: 'approved',
      code: null,
      decidedAt: '2026-01-15T09:30:00.000Z',
    },
  },
  errors: ['KYC_SESSION_NOT_FOUND', ...MOMENTARY],
  momentary: MOMENTARY,
  exampleBody: { phone: '+2250700000001', firstName: 'Awa', lastName: 'Koné', country: 'CI' },
  simulate: (call, simulation) =>
    typeof call.body.sessionId === 'string'
      ? decideSession(call, simulation, call.body.sessionId)
      : decideDossier(call, simulation),
}

function decideDossier(call: Call, simulation: Simulation): Decided & { kind: 'done' } {
  const { fields, rule } = decide(call, simulation, call.body)
  const shown = pick(call.body, ['phone', 'customerRef', 'sessionId'])
  const decision = { kycId: simulation.ids.next('kyc'), ...shown, ...fields }
  return { kind: 'done', status: 200, body: decision, rule, records: [], counts: true }
}

async function decideSession(call: Call, simulation: Simulation, sessionId: string): Promise<Decided> {
  const found = await findSession(simulation.records, call.tenant, sessionId, call.now)
  if (found.kind === 'gone') {
    return { kind: 'refused', refusal: found.refusal, stored: !MOMENTARY.includes(found.refusal.code) }
  }
  if (found.decision) {
    const { rule, ...first } = found.decision as Fields & { rule: string }
    return done(200, inLanguage(first, call.language), { rule, counts: false })
  }
  const decided = decideDossier(call, simulation)
  return {
    ...decided,
    records: [
      {
        kind: 'decision',
        tenant: call.tenant,
        id: sessionId,
        value: { ...decided.body, rule: decided.rule },
        ifPresent: 'refuse',
        expiresAt: call.now + SESSION_KEPT_MS,
      },
    ],
  }
}
