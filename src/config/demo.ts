import { DEMO_KEY, hashSecret } from '../tokens/sandbox-keys.ts'
import { type Partner, SCOPES } from './schema.ts'

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
