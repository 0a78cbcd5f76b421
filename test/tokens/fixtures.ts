import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parseJson as parseBody } from '../../src/checks/json.ts'
import type { Partner } from '../../src/config/partners.ts'
import { hashSecret } from '../../src/config/sandbox-keys.ts'
import type { ProvenKey } from '../../src/tokens/registry.ts'
import type { ParseJson } from '../../src/tokens/token-request-body.ts'

export const ISSUER = 'http://127.0.0.1:8080'
export const AUDIENCE = 'partner-sandbox'
/** A whole second: exp is one as well. */
export const START = Date.UTC(2026, 0, 5, 8, 0, 0)

export const SECRET = 'sk_sandbox_alpha_secret'
export const alpha: Partner = {
  id: 'alpha',
  name: 'Alpha',
  tenant: 'tn_sandbox_alpha',
  scopes: ['webhooks:register', 'accounts:read', 'payments:write'],
  keys: [
    { id: 'key_alpha', sha256: hashSecret(SECRET) },
    {
      id: 'key_narrow',
      sha256: hashSecret('sk_sandbox_narrow'),
      scopes: ['payments:write', 'kyc:initiate'],
    },
    { id: 'key_revoked', sha256: hashSecret('sk_sandbox_revoked'), revoked: true },
  ],
}
export const beta: Partner = {
  id: 'beta',
  name: 'Beta',
  tenant: 'tn_sandbox_beta',
  scopes: ['accounts:read'],
  keys: [{ id: 'key_beta', sha256: hashSecret('sk_sandbox_beta') }],
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-tokens-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value')
  return value
}

export function revoking(partner: Partner, keyId: string): Partner {
  return { ...partner, keys: partner.keys.map((key) => (key.id === keyId ? { ...key, revoked: true } : key)) }
}

export const parseJson: ParseJson = (body) => {
  const judged = parseBody(body)
  return judged.ok ? { ok: true, value: judged.value.value } : judged
}

export const keyIdOf = (proven: ProvenKey | undefined) => proven?.keyId
