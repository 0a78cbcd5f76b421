import { type ErrorCode, errorEntry } from '../errors/catalogue.ts'
import { errorWords } from '../errors/catalogue-fr.ts'
import { problem } from '../errors/problem.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import type { Language } from '../http/language.ts'
import { repayment } from '../simulator/loan.ts'
import { tokenProblem } from '../tokens/token-request.ts'
import { EXAMPLE_REQUEST_ID } from './openapi-names.ts'
import type { Json } from './openapi-schemas.ts'
import type { Fields, OperationRow } from './operation.ts'

/** The magic inputs of the contract: the field that decides, and a value for each outcome. */
const MAGIC: Readonly<Record<string, { good: Fields; bad: Fields }>> = {
  'kyc.submit': { good: { phone: '+2250000000001' }, bad: { phone: '+2250000000009' } },
  'kyb.submit': { good: { businessRef: 'BUS-001' }, bad: { businessRef: 'BUS-009' } },
  'payments.fund': { good: { amount: 5077 }, bad: { amount: 5000 } },
  'payments.cashout': { good: { amount: 5077 }, bad: { amount: 5000 } },
  'credit.simulate': { good: { amount: 50011 }, bad: { amount: 50099, ...repayment(50099, 12, 6) } },
  'credit.apply': { good: { amount: 50011 }, bad: { amount: 50099 } },
}

/** Examples of the request body; a deciding operation has one for each outcome. */
export function bodyExamples(row: OperationRow): Json {
  const { exampleBody, outcomes } = row
  if (exampleBody === undefined) return {}
  const magic = MAGIC[row.id]
  if (!outcomes || !magic) return { example: { summary: row.summary, value: exampleBody } }
  return {
    [outcomes.good]: { summary: `Leads to ${outcomes.good}`, value: { ...exampleBody, ...magic.good } },
    [outcomes.bad]: { summary: `Leads to ${outcomes.code}`, value: { ...exampleBody, ...magic.bad } },
  }
}

/** Examples of the answer; a deciding operation has one for each outcome. */
export function successExamples(row: OperationRow, language: Language = 'en'): Json {
  const { outcomes, success } = row
  const { example } = success
  if (!outcomes) return { example: { summary: success.description, value: example } }
  const magic = MAGIC[row.id]
  const { decidedAt, ...before } = example
  const { code } = outcomes
  const refused = {
    outcome: outcomes.bad,
    code,
    resolution: errorWords(code, language).resolution,
    decidedAt,
  }
  return {
    [outcomes.good]: { summary: outcomes.good, value: { ...example, ...magic?.good } },
    [outcomes.bad]: { summary: errorEntry(code).title, value: { ...before, ...magic?.bad, ...refused } },
  }
}

export function problemExample(code: ErrorCode, publicUrl: string, language: Language = 'en'): Json {
  const value = problem(refusalExample(code), EXAMPLE_REQUEST_ID, publicUrl, language)
  return { summary: errorEntry(code).title, value }
}

export function exchangeExample(code: ErrorCode): Json {
  return { summary: errorEntry(code).title, value: tokenProblem(refusalExample(code), EXAMPLE_REQUEST_ID) }
}

function refusalExample(code: ErrorCode): Refusal {
  return refuse(code, errorEntry(code).cause, MORE[code])
}

const MORE: Partial<Record<ErrorCode, Omit<Refusal, 'code' | 'detail'>>> = {
  VALIDATION_FAILED: { errors: [{ pointer: '#/amount', detail: 'is required' }] },
  IDEMPOTENCY_KEY_INVALID: { errors: [{ header: 'Idempotency-Key', detail: 'must be one UUID v4' }] },
  PARTNER_LIMIT_EXCEEDED: {
    members: {
      product: 'payments.fund',
      period: 'day',
      unit: 'amount',
      limit: 50000000,
      used: 49998000,
      reserved: 0,
      resetAt: '2026-01-16T00:00:00.000Z',
    },
  },
}
