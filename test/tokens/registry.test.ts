import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/config/contract.ts'
import { createSandboxKey, DEMO_KEY, hashSecret, isDemoKey } from '../../src/config/sandbox-keys.ts'
import { createRegistry } from '../../src/tokens/registry.ts'
import { alpha, beta, keyIdOf, revoking, SECRET } from './fixtures.ts'

describe('a registry', () => {
  const registry = createRegistry([alpha, beta])

  it.each(['key_alpha', 'tn_sandbox_alpha', SECRET])('proves a key named by %s', (clientId) => {
    expect(keyIdOf(registry.prove(clientId, SECRET))).toBe('key_alpha')
  })

  it('proves the key whose secret it is when a tenant has several', () => {
    expect(keyIdOf(registry.prove('tn_sandbox_alpha', 'sk_sandbox_narrow'))).toBe('key_narrow')
  })

  it.each([
    ['another key id of the same partner', 'key_narrow', SECRET],
    ['the key id of another partner', 'key_beta', SECRET],
    ['the tenant of another partner', 'tn_sandbox_beta', SECRET],
    ['the sandbox key of another partner', 'sk_sandbox_beta', SECRET],
    ['a partner id, which is no client_id', 'alpha', SECRET],
    ['a key id in another case', 'KEY_ALPHA', SECRET],
    ['the hash of the key in place of the key', 'key_alpha', hashSecret(SECRET)],
    ['the key id as its own secret', 'key_alpha', 'key_alpha'],
    ['nothing', '', ''],
    ['a revoked key', 'key_revoked', 'sk_sandbox_revoked'],
    ['a revoked key by its tenant', 'tn_sandbox_alpha', 'sk_sandbox_revoked'],
  ])('proves nothing from %s', (_, clientId, secret) => {
    expect(registry.prove(clientId, secret)).toBeUndefined()
  })

  it('proves nothing from arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (id, secret) => {
        expect(registry.prove(id, secret)).toBeUndefined()
        expect(registry.prove('key_alpha', secret)).toBeUndefined()
      }),
    )
  })

  it('gives a key the scopes of its partner, in the order of the contract', () => {
    const scopes = registry.key('key_alpha')?.scopes
    expect(scopes).toEqual(SCOPES.filter((scope) => alpha.scopes.includes(scope)))
  })

  it('gives a narrower key no scope that its partner lacks', () => {
    expect(registry.key('key_narrow')?.scopes).toEqual(['payments:write'])
  })

  it('does not know a revoked key or one of a prototype', () => {
    expect(registry.key('key_revoked')).toBeUndefined()
    expect(registry.key('__proto__')).toBeUndefined()
    expect(registry.partner('constructor')).toBeUndefined()
    expect(registry.partner('beta')).toBe(beta)
  })

  it.each([
    ['two partners with one id', [alpha, { ...alpha, keys: [] }]],
    ['two keys with one id', [alpha, { ...beta, keys: [{ id: 'key_alpha', sha256: hashSecret('x') }] }]],
    ['one secret under two ids', [alpha, { ...beta, keys: [{ id: 'key_x', sha256: hashSecret(SECRET) }] }]],
    [
      'a revoked secret under another id',
      [revoking(alpha, 'key_alpha'), { ...beta, keys: [{ id: 'key_x', sha256: hashSecret(SECRET) }] }],
    ],
  ])('is not built from %s', (_, partners) => {
    expect(() => createRegistry(partners)).toThrow()
  })
})

describe('a sandbox key', () => {
  it('is URL-safe, has at least 128 random bits and is kept as its hash', () => {
    const keys = Array.from({ length: 200 }, createSandboxKey)
    for (const { id, secret, sha256 } of keys) {
      expect(id).toMatch(/^key_[A-Za-z0-9_-]{16}$/)
      expect(secret).toMatch(/^sk_sandbox_[A-Za-z0-9_-]{32}$/)
      expect(sha256).toBe(hashSecret(secret))
    }
    expect(new Set(keys.map((key) => key.secret)).size).toBe(keys.length)
  })

  it('is known to be the published one by its hash', () => {
    expect(isDemoKey(hashSecret(DEMO_KEY))).toBe(true)
    expect(isDemoKey(hashSecret(DEMO_KEY).toUpperCase())).toBe(true)
    expect(isDemoKey(createSandboxKey().sha256)).toBe(false)
  })
})
