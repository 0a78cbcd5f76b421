import Type from 'typebox'
import { instant } from '../clock.ts'
import { CAP_PRODUCTS, RATE_LIMIT_GROUPS, type RateLimitGroup } from '../config/contract.ts'
import * as field from './fields.ts'
import { done, type Operation } from './operation.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const portalUsage: Operation = {
  id: 'portal.usage',
  method: 'GET',
  path: '/portal/usage',
  summary: 'Read usage and headroom',
  description: 'Usage and headroom against the partner caps, and the state of every rate-limit window.',
  tag: 'Portal',
  auth: 'any',
  group: 'other',
  countsPer: 'partner',
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
    },
  },
  shows: 'usage',
  errors: [],
  simulate: async (call, { usage, peek }) => {
    const caps = (await usage(call.partner, call.now)).map((cap) => ({
      product: cap.product,
      period: cap.period,
      unit: cap.unit,
      limit: cap.limit,
      used: cap.used,
      reserved: cap.reserved,
      remaining: Math.max(0, cap.limit - cap.used - cap.reserved),
      resetAt: instant(cap.resetAt),
    }))
    const rateLimits = []
    for (const { scope, window } of call.windows()) {
      const { limit, remaining, resetAt } = await peek(window, call.now)
      rateLimits.push({ group: window.group, scope, limit, remaining, resetAt: instant(resetAt) })
    }
    const { id: partner } = call.partner
    return done(200, { partner, tenant: call.tenant, asOf: instant(call.now), caps, rateLimits })
  },
}
