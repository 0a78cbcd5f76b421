import { KYB_OUTCOMES } from '../simulator/rules.ts'
import { decide } from './decide.ts'
import { decisionFields } from './decision-schema.ts'
import * as field from './fields.ts'
import { done, type Operation } from './operation.ts'

export const kybSubmit: Operation = {
  id: 'kyb.submit',
  method: 'POST',
  path: '/v1/kyb/submit',
  summary: 'Submit a business dossier',
  description: 'Decides at once. A businessRef that ends in 009 is rejected, one that ends in 001 approved.',
  tag: 'Identity',
  auth: 'kyc:initiate',
  group: 'other',
  countsPer: 'partner',
  cap: { product: 'kyb' },
  outcomes: KYB_OUTCOMES,
  body: field.closed({
    businessRef: field.BusinessRef,
    legalName: field.optional(field.LegalName),
    registrationNumber: field.optional(field.RegistrationNumber),
    taxId: field.optional(field.TaxId),
    country: field.optional(field.Country),
    metadata: field.optional(field.Metadata),
  }),
  success: {
    status: 200,
    description: 'The decision, an approval or a rejection.',
    schema: field.closed({
      kybId: field.KybId,
      businessRef: field.BusinessRef,
      ...decisionFields(KYB_OUTCOMES),
    }),
    example: {
      kybId: 'kyb_0VhYx3kQm4Zq9TtB2nR7wLc1d',
      businessRef: 'BUS-001',
      outcome: 'approved',
      code: null,
      decidedAt: '2026-01-15T09:30:00.000Z',
    },
  },
  errors: [],
  exampleBody: { businessRef: 'BUS-001', legalName: 'Baobab SARL', country: 'CI' },
  simulate: (call, simulation) => {
    const { fields, rule } = decide(call, simulation, call.body)
    return done(
      200,
      { kybId: simulation.ids.next('kyb'), businessRef: call.body.businessRef, ...fields },
      { rule },
    )
  },
}
