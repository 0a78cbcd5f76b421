import { type Partner, SCOPES } from './schema.ts'

/** The published key: for a laptop only. A gateway that others can reach refuses to start while it is active. */
export const DEMO_KEY = 'sk_sandbox_demo_key_for_local_use_only'

/** SHA-256 of DEMO_KEY; config/partners.yaml has it too, and a test holds them together. */
export const DEMO_KEY_SHA256 = '8a6268519048abe08a4ce718cad57d1879782013f728a4a925a1324e3866fdfb'

/** The partner of a gateway that was started without a configuration file. */
export const DEMO_PARTNER: Partner = {
  id: 'demo',
  name: 'Demo partner',
  tenant: 'tn_sandbox_demo',
  scopes: [...SCOPES],
  keys: [{ id: 'key_demo', sha256: DEMO_KEY_SHA256, revoked: false }],
}
