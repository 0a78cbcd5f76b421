import { type Refusal, refuse } from '../errors/refusal.ts'

/** X-Tenant-Id is optional; when it is sent it must be the tenant on the key, exactly. */
export function judgeTenant(header: string | string[] | undefined, tenant: string): Refusal | undefined {
  if (header === undefined || header === tenant) return undefined
  return refuse('PARTNER_MISMATCH', 'X-Tenant-Id differs from the tenant on the key.')
}
