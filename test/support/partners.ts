import { createHash } from 'node:crypto'
import { DEMO_KEY } from '../../src/config/sandbox-keys.ts'

/** The demo partner's, who is there where no partners are configured. */
export const DEMO_CLIENT = { client_id: 'key_demo', client_secret: DEMO_KEY }

export const ALL_SCOPES = [
  'accounts:read',
  'accounts:write',
  'kyc:initiate',
  'payments:write',
  'webhooks:register',
]

export type TestCap = { product: string; period: string; unit: string; limit: number }

/** A partner of a test gateway; `secret` is the sandbox key whose hash is configured. */
export type TestPartner = {
  readonly id: string
  readonly tenant: string
  readonly keyId: string
  readonly secret: string
  readonly scopes: readonly string[]
  readonly caps?: readonly TestCap[]
  readonly rateLimits?: Readonly<Record<string, number>>
  /** Further keys by id, with narrower scopes if wanted. Their secrets come from `secretOf`. */
  readonly moreKeys?: readonly {
    readonly id: string
    readonly scopes?: readonly string[]
    revoked?: boolean
  }[]
}

/** A partner with every scope, unless told otherwise. Ids are as in a configuration: a-z, 0-9 and -. */
export function partner(id: string, more: Partial<TestPartner> = {}): TestPartner {
  const keyId = `key_${id}`
  return { id, tenant: `tn_sandbox_${id}`, keyId, secret: secretOf(keyId), scopes: ALL_SCOPES, ...more }
}

/** As many partners as a file has tests, so that no test spends from another one's windows and caps. */
export function partners(count: number): TestPartner[] {
  return Array.from({ length: count }, (_, index) => partner(`p${index + 1}`))
}

/** The sandbox key of a key id. */
export function secretOf(keyId: string): string {
  return `sk_sandbox_${createHash('sha256').update(`test ${keyId}`).digest('hex').slice(0, 40)}`
}

/** What the configuration says about a partner. */
export function partnerConfig(one: TestPartner): object {
  const { id, tenant, scopes, caps, rateLimits, moreKeys = [] } = one
  return {
    id,
    name: `Partner ${id}`,
    tenant,
    scopes,
    keys: [
      { id: one.keyId, sha256: sha256(one.secret) },
      ...moreKeys.map((key) => ({ ...key, sha256: sha256(secretOf(key.id)) })),
    ],
    ...(caps && { caps }),
    ...(rateLimits && { rateLimits }),
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
