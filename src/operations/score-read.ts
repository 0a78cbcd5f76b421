import Type from 'typebox'
import { refuse } from '../errors/refusal.ts'
import { bandOf, scoreOf } from '../simulator/score.ts'
import * as field from './fields.ts'
import { done, type Operation } from './operation.ts'

/** When the seeded rows count as computed: they are older than everything a partner makes. */
const SEEDED_AT = '2026-01-01T00:00:00.000Z'

export const scoreRead: Operation = {
  id: 'score.read',
  method: 'GET',
  path: '/v1/score',
  summary: 'Look up a score',
  description:
    'The score row of a customerRef: the seeded ones, and every reference for which the tenant has opened an account.',
  tag: 'Score',
  auth: 'any',
  group: 'other',
  countsPer: 'partner',
  query: field.closed({ customerRef: field.CustomerRef }),
  success: {
    status: 200,
    description: 'The score row.',
    schema: field.closed({
      customerRef: field.CustomerRef,
      score: Type.Integer({ minimum: 300, maximum: 850, description: 'From 300 to 850.', examples: [712] }),
      band: field.oneOf(['poor', 'fair', 'good', 'very_good', 'excellent'], 'The band of the score.'),
      computedAt: field.Instant('When the row was created.'),
    }),
    example: { customerRef: 'CUS-0001', score: 712, band: 'good', computedAt: SEEDED_AT },
  },
  errors: ['SCORE_NOT_FOUND'],
  exampleQuery: { customerRef: 'CUS-0001' },
  simulate: async (call, { records, config }) => {
    const customerRef = String(call.query.customerRef)
    const row = await records.get<{ computedAt: string }>('score', call.tenant, customerRef, call.now)
    const seeded = Object.hasOwn(config.scores, customerRef) ? config.scores[customerRef] : undefined
    if (seeded === undefined && row === undefined) {
      const refusal = refuse('SCORE_NOT_FOUND', 'There is no score row for this customerRef.')
      return { kind: 'refused', refusal, stored: false }
    }
    const score = seeded ?? scoreOf(customerRef)
    // A seeded row stays what it is, whoever opens an account for its reference.
    const computedAt = seeded === undefined ? row?.computedAt : undefined
    return done(200, { customerRef, score, band: bandOf(score), computedAt: computedAt ?? SEEDED_AT })
  },
}
