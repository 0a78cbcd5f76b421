import type { Config } from '../config/schema.ts'
import { DEMO_KEY, isDemoKey } from './sandbox-keys.ts'

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
