import Type from 'typebox'
import type { OutcomeNames } from '../simulator/rules.ts'
import * as field from './fields.ts'

/** The properties of every decision: outcome, code, resolution (of a refused one) and instant. */
export const decisionFields = (names: OutcomeNames) => ({
  outcome: field.oneOf([names.good, names.bad], 'What was decided.'),
  code: field.nullableCode(names.code),
  resolution: field.optional(Type.String({ description: 'What to do about a refusal; absent otherwise.' })),
  decidedAt: field.Instant('When it was decided.'),
})
