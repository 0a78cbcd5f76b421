import { PAYMENT_OUTCOMES } from '../simulator/rules.ts'
import { accountNotFound } from './accounts-read.ts'
import { decide } from './decide.ts'
import { decisionFields } from './decision-schema.ts'
import * as field from './fields.ts'
import { done, type Operation, pick } from './operation.ts'

const Body = field.closed({
  amount: field.Amount,
  currency: field.optional(field.Currency),
  accountId: field.optional(field.AccountId),
  phone: field.optional(field.Phone),
  reference: field.optional(field.PaymentReference),
  description: field.optional(field.Description),
  metadata: field.optional(field.Metadata),
})

const Payment = field.closed({
  paymentId: field.PaymentId,
  direction: field.oneOf(['fund', 'cashout'], 'Which way the money goes.'),
  amount: field.Amount,
  currency: field.Currency,
  accountId: field.optional(field.AccountId),
  phone: field.optional(field.Phone),
  reference: field.optional(field.PaymentReference),
  ...decisionFields(PAYMENT_OUTCOMES),
})

/** Funding and cash-out differ in direction, group and cap alone. */
function payment(direction: 'fund' | 'cashout', summary: string, description: string): Operation {
  const id = `payments.${direction}` as const
  return {
    id,
    method: 'POST',
    path: `/v1/payments/${direction}`,
    summary,
    description: `${description} An amount that ends in 00 fails, one that ends in 77 succeeds. Balances are not kept.`,
    tag: 'Payments',
    auth: 'payments:write',
    group: id,
    countsPer: 'partner',
    cap: { product: id, amountField: 'amount' },
    outcomes: PAYMENT_OUTCOMES,
    body: Body,
    success: {
      status: 200,
      description: 'The outcome, a success or a failure.',
      schema: Payment,
      example: {
        paymentId: 'pay_0VhYx3kQm4Zq9TtB2nR7wLc1d',
        direction,
        amount: 5077,
        currency: 'XOF',
        reference: 'INV-2026-0042',
        outcome: 'success',
        code: null,
        decidedAt: '2026-01-15T09:30:00.000Z',
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
    exampleBody: { amount: 5077, currency: 'XOF', reference: 'INV-2026-0042' },
    simulate: async (call, simulation) => {
      const { accountId } = call.body
      if (typeof accountId === 'string') {
        const account = await simulation.records.get('account', call.tenant, accountId, call.now)
        if (!account) return { kind: 'refused', refusal: accountNotFound(), stored: true }
      }
      const { fields, rule, approved } = decide(call, simulation, call.body)
      const paymentId = simulation.ids.next('pay')
      const { amount } = call.body
      const shown = pick(call.body, ['accountId', 'phone', 'reference'])
      const body = { paymentId, direction, amount, currency: 'XOF', ...shown, ...fields }
      return done(200, body, { rule, counts: approved || 'calls' })
    },
  }
}

export const paymentsFund = payment('fund', 'Fund', 'Moves money in.')
export const paymentsCashout = payment('cashout', 'Cash out', 'Moves money out.')
