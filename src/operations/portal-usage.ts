import Type, { type Static } from 'typebox'
import { CAP_PRODUCTS, RATE_LIMIT_GROUPS, type RateLimitGroup } from '../config/contract.ts'
import * as field from './fields.ts'
import { done, type Operation } from './operation.ts'
import { historyView, usageView } from './usage-view.ts'

const Count = (description: string) => Type.Integer({ format: 'int64', minimum: 0, description })

/** How many of each, by name. */
const Counts = (description: string) =>
  Type.Record(Type.String(), Type.Integer({ minimum: 1 }), { description })

const Query = field.closed({
  history: Type.Optional(
    field.oneOf(
      ['hours', 'days'],
      'Adds what was done in each of the last 48 hours, or of the last 31 UTC days, up to a second ago.',
    ),
  ),
})

const History = Type.Array(
  field.closed({
    start: field.Instant('When the hour or the day begins.'),
    operation: Type.String({ description: 'The operation id.', examples: ['payments.fund'] }),
    requests: Count('Answered requests, refused ones included.'),
    rateLimited: Count('Those that were answered 429.'),
    refusals: Counts('Those that were refused otherwise, by error code.'),
    decisions: Counts('Decisions, by outcome; a replayed answer is none.'),
  }),
  { description: 'Oldest first; an hour or a day in which nothing happened is left out.' },
)

export const portalUsage: Operation = {
  id: 'portal.usage',
  method: 'GET',
  path: '/portal/usage',
  summary: 'Read usage and headroom',
  description:
    'Usage and headroom against the partner caps, and the state of every rate-limit window; with `history` also what was done before. A browser (`Accept: text/html`) gets a page with the same facts; there the session cookie of the portal stands for a token.',
  tag: 'Portal',
  auth: 'any',
  group: 'other',
  countsPer: 'partner',
  query: Query,
  success: {
    status: 200,
    description: 'Usage and headroom.',
    schema: field.closed({
      partner: Type.String({ description: 'The partner id.', examples: ['demo'] }),
      tenant: Type.String({ description: 'The tenant on the key.', examples: ['tn_sandbox_demo'] }),
      asOf: field.Instant('When this was true.'),
      caps: Type.Array(
        field.closed({
          product: field.oneOf(CAP_PRODUCTS, 'What is capped.'),
          period: field.oneOf(['day', 'month'], 'The UTC period.'),
          unit: field.oneOf(['calls', 'amount'], 'Decisions, or XOF.'),
          limit: Count('The cap.'),
          used: Count('Committed in this period.'),
          reserved: Count('Held by requests that are being decided.'),
          remaining: Count('What a new request may still take.'),
          resetAt: field.Instant('When the period ends.'),
        }),
      ),
      rateLimits: Type.Array(
        field.closed({
          group: field.oneOf(Object.keys(RATE_LIMIT_GROUPS) as RateLimitGroup[], 'The rate-limit group.'),
          scope: field.oneOf(['partner', 'client', 'ip'], 'Whom the group counts.'),
          limit: Count('Requests per window.'),
          remaining: Count('Requests left in the window.'),
          resetAt: field.Instant('When the window ends.'),
        }),
      ),
      history: Type.Optional(History),
    }),
    example: {
      partner: 'demo',
      tenant: 'tn_sandbox_demo',
      asOf: '2026-01-15T09:30:00.000Z',
      caps: [
        {
          product: 'payments.fund',
          period: 'day',
          unit: 'amount',
          limit: 50000000,
          used: 5077,
          reserved: 0,
          remaining: 49994923,
          resetAt: '2026-01-16T00:00:00.000Z',
        },
      ],
      rateLimits: [
        {
          group: 'payments.fund',
          scope: 'partner',
          limit: 200,
          remaining: 199,
          resetAt: '2026-01-15T09:31:00.000Z',
        },
      ],
      history: [
        {
          start: '2026-01-15T09:00:00.000Z',
          operation: 'payments.fund',
          requests: 3,
          rateLimited: 0,
          refusals: { VALIDATION_FAILED: 1 },
          decisions: { success: 1, failed: 1 },
        },
      ],
    },
  },
  shows: 'usage',
  exampleQuery: { history: 'hours' },
  errors: [],
  simulate: async (call, simulation) => {
    const { partner, tenant, now, query } = call
    const view = await usageView(simulation, { partner, tenant, windows: call.windows(), now })
    const { history } = query as Static<typeof Query>
    if (history === undefined) return done(200, view)
    return done(200, { ...view, history: await historyView(simulation, partner.id, history, now) })
  },
}
