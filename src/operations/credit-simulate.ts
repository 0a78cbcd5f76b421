import Type from 'typebox'
import { refuse } from '../errors/refusal.ts'
import { repayment } from '../simulator/loan.ts'
import { CREDIT_OUTCOMES } from '../simulator/rules.ts'
import { decide } from './decide.ts'
import { decisionFields } from './decision-schema.ts'
import * as field from './fields.ts'
import { done, type Operation } from './operation.ts'

export const DEFAULT_TERM_MONTHS = 6

export const creditSimulate: Operation = {
  id: 'credit.simulate',
  method: 'GET',
  path: '/v1/credit/simulate',
  summary: 'Simulate credit',
  description:
    'What a credit would cost: an annuity in whole XOF. An amount that ends in 99 is rejected; at most 100000 and ending in 11 is approved. An amount whose total repayable would be above 9007199254740991 XOF is not valid.',
  tag: 'Credit',
  auth: 'any',
  needsToken: ({ credit }) => credit.simulateAuth === 'required',
  group: 'credit.simulate',
  countsPer: 'ip',
  outcomes: CREDIT_OUTCOMES,
  query: field.closed({
    amount: field.Amount,
    termMonths: field.optional(field.TermMonths),
    customerRef: field.optional(field.CustomerRef),
  }),
  success: {
    status: 200,
    description: 'The outcome, an approval or a rejection.',
    schema: field.closed({
      simulationId: field.SimulationId,
      amount: field.Amount,
      currency: field.Currency,
      termMonths: field.TermMonths,
      ...decisionFields(CREDIT_OUTCOMES),
      annualRatePercent: Type.Number({ description: 'Annual rate in percent.', examples: [12] }),
      monthlyPayment: field.Total('Whole XOF, rounded up.', 8631),
      totalRepayable: field.Total('All monthly payments together.', 51786),
    }),
    example: {
      simulationId: 'sim_0VhYx3kQm4Zq9TtB2nR7wLc1d',
      amount: 50011,
      currency: 'XOF',
      termMonths: 6,
      outcome: 'approved',
      code: null,
      annualRatePercent: 12,
      ...repayment(50011, 12, 6),
      decidedAt: '2026-01-15T09:30:00.000Z',
    },
  },
  errors: [],
  exampleQuery: { amount: 50011, termMonths: 6 },
  judge: ({ query }, config) => {
    const cost = repayment(Number(query.amount), config.credit.annualRatePercent, termOf(query))
    // Beyond 2^53 - 1 a JSON number no longer says what it means.
    if (cost.totalRepayable <= Number.MAX_SAFE_INTEGER) return undefined
    return refuse('VALIDATION_FAILED', 'The total repayable would be beyond 9007199254740991 XOF.', {
      errors: [{ parameter: 'amount', detail: 'is too large to be repaid over this term' }],
    })
  },
  simulate: (call, simulation) => {
    const { fields, rule } = decide(call, simulation, call.query)
    const { annualRatePercent } = simulation.config.credit
    const amount = Number(call.query.amount)
    const termMonths = termOf(call.query)
    const { outcome, code, resolution, decidedAt } = fields
    const { monthlyPayment, totalRepayable } = repayment(amount, annualRatePercent, termMonths)
    const body = {
      simulationId: simulation.ids.next('sim'),
      amount,
      currency: 'XOF',
      termMonths,
      outcome,
      code,
      annualRatePercent,
      monthlyPayment,
      totalRepayable,
      resolution,
      decidedAt,
    }
    return done(200, body, { rule })
  },
}

export function termOf(fields: { readonly termMonths?: unknown }): number {
  return typeof fields.termMonths === 'number' ? fields.termMonths : DEFAULT_TERM_MONTHS
}
