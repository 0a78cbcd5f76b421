import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ASSERTION_TYPE } from '../../src/tokens/assertion.ts'
import type { Registry } from '../../src/tokens/registry.ts'
import { createTrustedIssuers } from '../../src/tokens/trusted-issuers.ts'

const ISSUER = 'https://front.example.com'
const AUDIENCE = 'https://behind.example.com'
const NOW = Date.UTC(2026, 0, 15, 12)
const PARTNER = { id: 'demo', tenant: 'tn_sandbox_demo', scopes: ['accounts:read'] }
const REGISTRY = { partner: (id: string) => (id === PARTNER.id ? PARTNER : undefined) } as unknown as Registry

let pair: Awaited<ReturnType<typeof generateKeyPair>>
beforeAll(async () => {
  pair = await generateKeyPair('RS256')
})

let monotonic = 0
beforeEach(() => {
  monotonic = 0
  vi.stubGlobal('performance', { now: () => monotonic })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** A gateway behind one whose JWKS has the keys that `publish` names, the last ones first asked for at the start. */
function behind() {
  const clock = { at: NOW, now: () => clock.at }
  let published = ['k1']
  let asked = 0
  const issuers = createTrustedIssuers({
    issuers: [ISSUER],
    audiences: () => [AUDIENCE],
    clock,
    onKeys: () => {},
    fetchKeys: async () => {
      asked++
      const { n, e } = await exportJWK(pair.publicKey)
      return JSON.stringify({ keys: published.map((kid) => ({ kty: 'RSA', n, e, kid })) })
    },
  })
  const ask = async (kid: string) => {
    const seconds = Math.floor(clock.at / 1000)
    const token = await new SignJWT({ tenant: PARTNER.tenant, scope: 'accounts:read', sub: PARTNER.id })
      .setProtectedHeader({ alg: 'RS256', kid, typ: ASSERTION_TYPE })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 60)
      .setJti(kid)
      .sign(pair.privateKey)
    return (await issuers.authenticate(token, REGISTRY)).kind
  }
  const publish = (...kids: string[]) => {
    published = kids
  }
  return { clock, ask, publish, asked: () => asked }
}

describe('keys of a gateway in front', () => {
  it('are asked for again half a minute later, also when the system’s clock was set back by an hour', async () => {
    const { clock, ask, publish } = behind()
    await expect.poll(() => ask('k1')).toBe('known')
    publish('k2')
    clock.at -= 3_600_000
    expect(await ask('k2')).toBe('refused')
    monotonic += 30_000
    expect(await ask('k2')).toBe('refused')
    await expect.poll(() => ask('k2')).toBe('known')
  })

  it('are asked for once in that time, however many keys are made up', async () => {
    const { ask, asked } = behind()
    await expect.poll(() => ask('k1')).toBe('known')
    monotonic += 30_000
    for (let i = 0; i < 50; i++) expect(await ask(`made-up-${i}`)).toBe('refused')
    expect(asked()).toBe(2)
    expect(await ask('k1')).toBe('known')
  })
})
