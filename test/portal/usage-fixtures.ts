import { CATALOGUE } from '../../src/errors/catalogue.ts'
import { OPERATIONS } from '../../src/operations/operations.ts'
import type { PortalView } from '../../src/portal/usage/view.ts'

/** 15 January 2026, 09:31:05 UTC. */
export const NOW = Date.UTC(2026, 0, 15, 9, 31, 5)
const HOUR = 3_600_000

/** The most that the page can have to show: every operation in every hour, and 200 refusals of which no two are alike. */
export function largestView(): PortalView {
  const codes = Object.keys(CATALOGUE)
  const groups = ['token', 'accounts.open', 'kyc.submit', 'payments.fund', 'credit.simulate', 'other']
  const products = ['accounts', 'kyc', 'kyb', 'payments.fund', 'payments.cashout', 'credit']
  const last = NOW - (NOW % HOUR)
  return {
    name: 'X'.repeat(100),
    resolution: 'hours',
    recentlyLimited: 123_456,
    usage: {
      partner: 'x'.repeat(40),
      tenant: `tn_sandbox_${'x'.repeat(60)}`,
      asOf: new Date(NOW).toISOString(),
      // Several caps of one product: by day and month, in calls and in XOF.
      caps: products.flatMap((product) =>
        (['day', 'month'] as const).flatMap((period) =>
          (['calls', 'amount'] as const).map((unit) => ({
            product,
            period,
            unit,
            limit: 9_007_199_254_740_991,
            used: 9_007_199_254_740_000,
            reserved: 991,
            remaining: 0,
            resetAt: new Date(NOW + 20 * HOUR).toISOString(),
          })),
        ),
      ),
      rateLimits: groups.map((group) => ({
        group,
        scope: 'partner' as const,
        limit: 100_000,
        remaining: 0,
        resetAt: new Date(NOW + 42_000).toISOString(),
      })),
      history: Array.from({ length: 48 }, (_, index) =>
        OPERATIONS.map(({ id }) => ({
          start: new Date(last - (47 - index) * HOUR).toISOString(),
          operation: id,
          requests: 1_000_000 + index,
          rateLimited: 100_000 + index,
          refusals: Object.fromEntries(codes.map((code) => [code, 1000])),
          decisions: { approved: 1000, success: 1000, rejected: 1000, failed: 1000 },
        })),
      ).flat(),
      refusals: Array.from({ length: 200 }, (_, index) => ({
        at: new Date(NOW - index * 60_000).toISOString(),
        requestId: `req_${String(index).padStart(16, 'x')}`,
        operation: OPERATIONS[index % OPERATIONS.length]?.id ?? 'none',
        status: 400,
        code: codes[index % codes.length] ?? 'INTERNAL',
      })),
    },
  }
}
