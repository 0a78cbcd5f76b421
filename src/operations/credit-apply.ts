import { CREDIT_OUTCOMES } from '../simulator/rules.ts'
import { DEFAULT_TERM_MONTHS, termOf } from './credit-simulate.ts'
import { decide } from './decide.ts'
import { decisionFields } from './decision-schema.ts'
import * as field from './fields.ts'
import { done, type Operation } from './operation.ts'

export const creditApply: Operation = {
  id: 'credit.apply',
  method: 'POST',
  path: '/v1/credit/apply',
  summary: 'Apply for credit',
  description: `Decides at once. termMonths is ${DEFAULT_TERM_MONTHS} when absent. An approved amount counts against the monthly cap.`,
  tag: 'Credit',
  auth: 'any',
  group: 'credit.apply',
  countsPer: 'partner',
  cap: { product: 'credit', amountField: 'amount' },
  outcomes: CREDIT_OUTCOMES,
  body: field.closed({
    customerRef: field.CustomerRef,
    amount: field.Amount,
    termMonths: field.optional(field.TermMonths),
    simulationId: field.optional(field.SimulationId),
    purpose: field.optional(field.Purpose),
    metadata: field.optional(field.Metadata),
  }),
  success: {
    status: 200,
    description: 'The outcome, an approval or a rejection.',
    schema: field.closed({
      creditId: field.CreditId,
      customerRef: field.CustomerRef,
      amount: field.Amount,
      currency: field.Currency,
      termMonths: field.TermMonths,
      ...decisionFields(CREDIT_OUTCOMES),
    }),
    example: {
      creditId: 'crd_0VhYx3kQm4Zq9TtB2nR7wLc1d',
      customerRef: 'CUS-0001',
      amount: 50011,
      currency: 'XOF',
      termMonths: 6,
      outcome: 'approved',
      code: null,
      decidedAt: '2026-01-15T09:30:00.000Z',
    },
  },
  errors: [],
  exampleBody: { customerRef: 'CUS-0001', amount: 50011, termMonths: 6 },
  simulate: (call, simulation) => {
    const { fields, rule, approved } = decide(call, simulation, call.body)
    const { customerRef, amount } = call.body
    const creditId = simulation.ids.next('crd')
    const body = { creditId, customerRef, amount, currency: 'XOF', termMonths: termOf(call.body), ...fields }
    return done(200, body, { rule, counts: approved || 'calls' })
  },
}
