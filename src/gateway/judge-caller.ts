import { judgeTenant } from '../checks/tenant.ts'
import type { Refusal } from '../errors/refusal.ts'
import { insufficientScope, tokenMissing } from '../tokens/challenges.ts'
import type { Authentication } from '../tokens/verify.ts'
import type { Exchange } from './exchange.ts'

/** Who is asking, and whether they may: 401, then the tenant, then the scope. */
export function judgeCaller(exchange: Exchange, authentication: Authentication): Refusal | undefined {
  const { endpoint, settings, req } = exchange
  // A token that is sent is judged even where none is needed.
  if (authentication.kind === 'refused') return authentication.refusal
  const operation = endpoint?.kind === 'operation' ? endpoint.row : undefined
  if (authentication.kind === 'none')
    return operation && (operation.needsToken?.(settings.config) ?? true)
      ? tokenMissing(req.headers.authorization)
      : undefined
  const { tenant, scopes, partner } = authentication.principal
  const mismatch = judgeTenant(req.headers['x-tenant-id'], tenant)
  if (mismatch) return mismatch
  if (!operation || operation.auth === 'any' || operation.auth === 'client') return undefined
  if (operation.auth === 'all') {
    const missing = partner.scopes.find((scope) => !scopes.has(scope))
    return missing === undefined ? undefined : insufficientScope(missing)
  }
  return scopes.has(operation.auth) ? undefined : insufficientScope(operation.auth)
}
