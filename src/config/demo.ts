import { SCOPES } from './contract.ts'
import type { Partner } from './partners.ts'
import { DEMO_KEY, hashSecret, isDemoKey } from './sandbox-keys.ts'
import type { Config } from './schema.ts'

/** SHA-256 of the published key; config/partners.yaml has it too, and a test holds them together. */
export const DEMO_KEY_SHA256 = hashSecret(DEMO_KEY)

/** The partner of a gateway that was started without a configuration file. */
export const DEMO_PARTNER: Partner = {
  id: 'demo',
  name: 'Demo partner',
  tenant: 'tn_sandbox_demo',
  scopes: [...SCOPES],
  keys: [{ id: 'key_demo', sha256: DEMO_KEY_SHA256, revoked: false }],
}

export type DemoCredentials = { readonly clientId: string; readonly clientSecret: string }

/**
 * The published credentials while somebody may use them. The configuration sees to it that they are active only
 * where nobody else can reach the gateway.
 */
export function demoCredentials({ partners }: Pick<Config, 'partners'>): DemoCredentials | undefined {
  const key = partners
    .flatMap(({ keys }) => keys)
    .find(({ sha256, revoked }) => isDemoKey(sha256) && !revoked)
  return key && { clientId: key.id, clientSecret: DEMO_KEY }
}
