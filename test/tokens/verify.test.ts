import { createHmac, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { frozenClock } from '../../src/clock.ts'
import { insufficientScope, tokenMissing } from '../../src/tokens/challenges.ts'
import { issueToken } from '../../src/tokens/issue.ts'
import { createRegistry, type Registry } from '../../src/tokens/registry.ts'
import { createSigningKeys, type SigningKeys } from '../../src/tokens/signing-keys.ts'
import { type Authentication, createTokenMemo, createVerifier } from '../../src/tokens/verify.ts'
import { runs } from '../support/effort.ts'
import { anyKeyPair } from '../support/key-pairs.ts'
import { AUDIENCE, alpha, beta, given, ISSUER, revoking, START } from './fixtures.ts'

const HOUR = 3_600_000
const both = createRegistry([alpha, beta])
const shared = createSigningKeys({
  directory: null,
  clock: frozenClock(START),
  lifetimeSeconds: 3600,
  publishSeconds: 0,
  makePair: anyKeyPair,
})
const stranger = await anyKeyPair()
let kid: string
let privateKey: KeyObject

beforeAll(async () => {
  const active = await shared.active()
  kid = active.kid
  privateKey = active.privateKey
})

function setup(signingKeys: SigningKeys = shared, cacheSize = 100) {
  const clock = frozenClock(START)
  const verifier = createVerifier({ signingKeys, issuer: () => ISSUER, audience: AUDIENCE, clock, cacheSize })
  const issue = async (keyId = 'key_alpha', scopes?: string[]) => {
    const proven = given(both.key(keyId))
    const common = { issuer: ISSUER, audience: AUDIENCE, lifetimeSeconds: 3600, signingKeys, clock }
    return (await issueToken({ proven, scopes: scopes ?? proven.scopes, ...common })).token
  }
  // One connection for all: what it remembers must never change an answer.
  const memo = createTokenMemo()
  const ask = (token: string, registry: Registry = both) =>
    verifier.authenticate(`Bearer ${token}`, registry, memo)
  return { clock, verifier, memo, issue, ask }
}

function codeOf(authentication: Authentication): string {
  return authentication.kind === 'refused' ? authentication.refusal.code : authentication.kind
}

const goodClaims = (): JWTPayload => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'alpha',
  client_id: 'key_alpha',
  tenant: 'tn_sandbox_alpha',
  scope: 'accounts:read',
  iat: START / 1000,
  exp: START / 1000 + 3600,
})
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (header: object, claims: JWTPayload = goodClaims(), key: KeyObject = privateKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt', ...header }).sign(key)

describe('an issued token', () => {
  it('is an RS256 at+jwt with the claims of the interface', async () => {
    const token = await setup().issue()
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', kid, typ: 'at+jwt' })
    const { jti, ...claims } = decodeJwt(token)
    expect(claims).toEqual({ ...goodClaims(), scope: 'accounts:read payments:write webhooks:register' })
    expect(jti).toMatch(/^[A-Za-z0-9_-]{22}$/)
  })

  it('is another one each time', async () => {
    const { issue } = setup()
    expect(await issue()).not.toBe(await issue())
  })

  it('makes its partner, tenant and scopes known', async () => {
    const { ask, issue } = setup()
    expect(await ask(await issue('key_alpha', ['payments:write']))).toEqual({
      kind: 'known',
      principal: {
        partner: alpha,
        keyId: 'key_alpha',
        tenant: 'tn_sandbox_alpha',
        scopes: new Set(['payments:write']),
        expiresAt: START + HOUR,
      },
    })
  })
})

describe('an Authorization header', () => {
  it.each([undefined, '', 'Bearer', 'Bearer   ', 'Basic a2V5OnNlY3JldA==', 'Negotiate x', 'Bearerx y'])(
    'without a bearer token counts as none: %j',
    (header) => {
      expect(setup().verifier.authenticate(header, both, createTokenMemo())).toEqual({ kind: 'none' })
      expect(tokenMissing(header).headers).toEqual({ 'www-authenticate': 'Bearer' })
    },
  )

  it.each(['bearer', 'BEARER', 'Bearer  '])('names the scheme in any case: %s', async (scheme) => {
    const { verifier, issue, memo } = setup()
    expect(codeOf(await verifier.authenticate(`${scheme} ${await issue()}`, both, memo))).toBe('known')
  })
})

describe('a token is invalid', () => {
  const hs256 = () => {
    const input = `${base64url({ alg: 'HS256', kid, typ: 'at+jwt' })}.${base64url(goodClaims())}`
    const secret = given(shared.find(kid)).export({ type: 'spki', format: 'pem' })
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }
  const without = (name: string) => {
    const { [name]: _, ...claims } = goodClaims()
    return signed({}, claims)
  }
  const jwk = stranger.publicKey.export({ format: 'jwk' })
  const cases: [string, () => string | Promise<string>][] = [
    ['with alg none', () => `${base64url({ alg: 'none', kid, typ: 'at+jwt' })}.${base64url(goodClaims())}.`],
    [
      'with alg none and a signature',
      () => `${base64url({ alg: 'none', kid })}.${base64url(goodClaims())}.AAAA`,
    ],
    ['with HS256 over the public key', hs256],
    ['with RS512', () => signed({ alg: 'RS512' })],
    ['with PS256', () => signed({ alg: 'PS256' })],
    ['from a stranger under our kid', () => signed({}, goodClaims(), stranger.privateKey)],
    ['from a stranger who brings the key', () => signed({ jwk }, goodClaims(), stranger.privateKey)],
    ['from a stranger under an unknown kid', () => signed({ kid: 'x' }, goodClaims(), stranger.privateKey)],
    ['under an unknown kid with jku', () => signed({ kid: 'x', jku: `${ISSUER}/jwks` })],
    ['without a kid', () => signed({ kid: undefined })],
    ['with another typ', () => signed({ typ: 'JWT' })],
    ['without a typ', () => signed({ typ: undefined })],
    ['with another issuer', () => signed({}, { ...goodClaims(), iss: 'http://127.0.0.1:8081' })],
    ['with another audience', () => signed({}, { ...goodClaims(), aud: 'other' })],
    ['with a client_id that is a list', () => signed({}, { ...goodClaims(), client_id: ['key_alpha'] })],
    ['with the tenant of another partner', () => signed({}, { ...goodClaims(), tenant: 'tn_sandbox_beta' })],
    ['with the key of another partner', () => signed({}, { ...goodClaims(), client_id: 'key_beta' })],
    ['for an unknown partner', () => signed({}, { ...goodClaims(), sub: 'gamma' })],
    ['without exp', () => without('exp')],
    ['without iss', () => without('iss')],
    ['without aud', () => without('aud')],
    ['without scope', () => without('scope')],
    ['with fractional exp', () => signed({}, { ...goodClaims(), exp: START / 1000 + 0.5 })],
    ['without its signature', async () => (await signed({})).split('.').slice(0, 2).join('.')],
    ['with something behind it', async () => `${await signed({})}x`],
    ['with a space behind it', async () => `${await signed({})} `],
    ['with a second token', async () => `${await signed({})}, Bearer ${await signed({})}`],
    ['with padding', async () => `${await signed({})}==`],
    ['that is oversized', async () => signed({}, { ...goodClaims(), padding: 'x'.repeat(9000) })],
    ['that is no token', () => 'sk_sandbox_alpha_secret'],
    ['that is dots', () => '..'],
    ['that is not ASCII', () => 'é.é.é'],
  ]
  it.each(cases)('%s', async (_, make) => {
    const { ask } = setup()
    const authentication = await ask(await make())
    expect(codeOf(authentication)).toBe('TOKEN_INVALID')
    expect(authentication).toHaveProperty(
      'refusal.headers.www-authenticate',
      expect.stringMatching(/^Bearer error="invalid_token"/),
    )
  })

  it('with a critical header that nobody here understands', async () => {
    const header = { alg: 'RS256', kid, typ: 'at+jwt', crit: ['exp'], exp: 1 }
    const token = await new SignJWT(goodClaims())
      .setProtectedHeader(header)
      .sign(privateKey, { crit: { exp: true } })
    expect(codeOf(await setup().ask(token))).toBe('TOKEN_INVALID')
  })

  it('under the kid of another key of ours', async () => {
    const clock = frozenClock(START)
    const signingKeys = createSigningKeys({
      directory: null,
      clock,
      lifetimeSeconds: 3600,
      publishSeconds: 0,
      makePair: anyKeyPair,
    })
    const old = await signingKeys.active()
    await signingKeys.rotate()
    const fresh = (await signingKeys.active()).kid
    const { ask } = setup(signingKeys)
    expect(codeOf(await ask(await signed({ kid: old.kid }, goodClaims(), old.privateKey)))).toBe('known')
    expect(codeOf(await ask(await signed({ kid: fresh }, goodClaims(), old.privateKey)))).toBe(
      'TOKEN_INVALID',
    )
  })

  it('in every spelling of its signature but one', async () => {
    const { ask, issue } = setup()
    const token = await issue()
    const last = given(token.at(-1))
    const twins = ['A', 'B', 'C', 'Q', 'R', 'g', 'h', 'w', 'x'].filter((letter) => letter !== last)
    for (const letter of twins) expect(codeOf(await ask(token.slice(0, -1) + letter))).toBe('TOKEN_INVALID')
    expect(codeOf(await ask(token))).toBe('known')
  })
})

describe('a token in the cache', () => {
  it('is answered without waiting, with the same object', async () => {
    const { ask, issue } = setup()
    const token = await issue()
    const first = await ask(token)
    expect(ask(token)).toBe(first)
  })

  it('expires at exp and not a millisecond later, cached or not', async () => {
    const { ask, clock, issue } = setup()
    const token = await issue()
    const unseen = await issue()
    await ask(token)
    clock.advance(HOUR - 1)
    expect(codeOf(await ask(token))).toBe('known')
    clock.advance(1)
    expect(codeOf(await ask(token))).toBe('TOKEN_EXPIRED')
    expect(await ask(unseen)).toHaveProperty(
      'refusal.headers.www-authenticate',
      'Bearer error="invalid_token", error_description="The access token has expired"',
    )
  })

  it('ends with its key: revoked, removed with its partner, or moved to another one', async () => {
    const { ask, clock, issue } = setup()
    const token = await issue()
    await ask(token)
    const [key] = alpha.keys
    const registries = {
      revoked: createRegistry([revoking(alpha, 'key_alpha'), beta]),
      removed: createRegistry([beta]),
      moved: createRegistry([{ ...beta, keys: [given(key)] }]),
      'another tenant': createRegistry([{ ...alpha, tenant: 'tn_sandbox_other' }]),
    }
    for (const registry of Object.values(registries))
      expect(codeOf(await ask(token, registry))).toBe('TOKEN_INVALID')
    expect(codeOf(await ask(token))).toBe('known')
    clock.advance(HOUR)
    expect(codeOf(await ask(token, registries.revoked))).toBe('TOKEN_INVALID')
  })

  it('loses a scope that its key lost and gains none that it gained', async () => {
    const { ask, issue } = setup()
    const token = await issue('key_alpha', ['payments:write', 'accounts:read'])
    await ask(token)
    const less = createRegistry([{ ...alpha, scopes: ['payments:write', 'kyc:initiate'] }])
    expect(await ask(token, less)).toHaveProperty('principal.scopes', new Set(['payments:write']))
    expect(await ask(token)).toHaveProperty('principal.scopes', new Set(['accounts:read', 'payments:write']))
  })

  it('shows the partner of the present configuration', async () => {
    const { ask, issue } = setup()
    const token = await issue()
    await ask(token)
    const renamed = { ...alpha, name: 'Renamed' }
    expect(await ask(token, createRegistry([renamed]))).toHaveProperty('principal.partner', renamed)
  })

  it('is verified anew after a rotation and refused once its key is gone, whatever its exp', async () => {
    const clock = frozenClock(START)
    const signingKeys = createSigningKeys({
      directory: null,
      clock,
      lifetimeSeconds: 3600,
      publishSeconds: 0,
      makePair: anyKeyPair,
    })
    const old = await signingKeys.active()
    const forever = await signed(
      { kid: old.kid },
      { ...goodClaims(), exp: START / 1000 + 99_999 },
      old.privateKey,
    )
    const { ask } = setup(signingKeys)
    expect(codeOf(await ask(forever))).toBe('known')
    expect(ask(forever)).not.toBeInstanceOf(Promise)
    await signingKeys.rotate()
    expect(ask(forever)).toBeInstanceOf(Promise)
    await ask(forever)
    clock.advance(HOUR)
    expect(codeOf(await ask(forever))).toBe('TOKEN_INVALID')
  })

  it('is never taken for another one, in any order and with a cache that overflows', async () => {
    const { ask, issue } = setup(shared, 2)
    const keyIds = ['key_alpha', 'key_narrow', 'key_beta', 'key_alpha', 'key_beta']
    const tokens = await Promise.all(keyIds.map((keyId) => issue(keyId)))
    const requests = fc.array(fc.record({ token: fc.nat(4), cut: fc.nat(20), spoilt: fc.boolean() }), {
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(requests, async (list) => {
        const answers = list.map(({ token, cut, spoilt }) => {
          const text = given(tokens[token])
          return ask(spoilt ? text.slice(0, -1 - cut) : text)
        })
        for (const [index, { token, spoilt }] of list.entries()) {
          const answer = given(await answers[index])
          if (spoilt) expect(codeOf(answer)).toBe('TOKEN_INVALID')
          else expect(answer).toHaveProperty('principal.keyId', keyIds[token])
        }
      }),
      { numRuns: runs(60) },
    )
  })
})

describe('a verifier', () => {
  it('is checked once for all who bring it at once, and they are told in the order in which they came', async () => {
    let checks = 0
    const counted: SigningKeys = {
      ...shared,
      find: (id) => {
        checks += 1
        return shared.find(id)
      },
    }
    const tampered = (token: string) => `${token.slice(0, -8)}AAAAAAAA`
    const makers = [setup().issue, async () => tampered(await setup().issue())]
    const burst = fc.array(fc.tuple(fc.nat(1), fc.nat(2)), { minLength: 2, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(burst, async (asked) => {
        const { ask } = setup(counted)
        const tokens = await Promise.all(
          makers.map((make) => Promise.all(Array.from({ length: 3 }, () => make()))),
        )
        checks = 0
        const told: number[] = []
        const outcomes = await Promise.all(
          asked.map(async ([kind, which], index) => {
            const outcome = await ask(given(given(tokens[kind])[which]))
            told.push(index)
            return codeOf(outcome)
          }),
        )
        expect(outcomes).toEqual(asked.map(([kind]) => (kind === 0 ? 'known' : 'TOKEN_INVALID')))
        for (const [kind, which] of asked) {
          const same = (index: number) => asked[index]?.[0] === kind && asked[index]?.[1] === which
          expect(told.filter(same)).toEqual([...asked.keys()].filter(same))
        }
        expect(checks).toBe(new Set(asked.map(String)).size)
      }),
      { numRuns: runs(30) },
    )
  })

  it('is checked anew once the key that signed it is gone, also while the first check is under way', async () => {
    let generation = 0
    const going: SigningKeys = {
      ...shared,
      generation: () => generation,
      find: (id) => (generation === 0 ? shared.find(id) : undefined),
    }
    const { ask } = setup(going)
    const token = await setup().issue()
    const before = ask(token)
    generation += 1
    const after = ask(token)
    expect(codeOf(await before)).toBe('known')
    expect(codeOf(await after)).toBe('TOKEN_INVALID')
  })

  it('has no opinion before there is a key, and throws nothing', async () => {
    const signingKeys = createSigningKeys({
      directory: null,
      clock: frozenClock(START),
      lifetimeSeconds: 3600,
      publishSeconds: 0,
      makePair: anyKeyPair,
    })
    expect(codeOf(await setup(signingKeys).ask(await signed({})))).toBe('TOKEN_INVALID')
  })

  it('refuses arbitrary text without throwing', async () => {
    const { verifier, memo } = setup()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        const answer = await verifier.authenticate(`Bearer ${text}`, both, memo)
        expect(['none', 'TOKEN_INVALID']).toContain(codeOf(answer))
      }),
    )
  })

  it('asks for the scope that is missing', () => {
    expect(insufficientScope('payments:write')).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="payments:write"' },
    })
  })
})
