import type { Partner } from '../config/partners.ts'

/** The caller of an operation that the configuration has opened to everybody. */
export const ANONYMOUS: Partner = {
  id: 'none',
  name: 'Anonymous',
  tenant: 'tn_sandbox_none',
  scopes: [],
  keys: [],
}
