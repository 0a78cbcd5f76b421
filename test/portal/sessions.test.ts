import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { portalSessions } from '../../src/gateway/portal-session.ts'
import { readCookie } from '../../src/portal/sign-in/cookies.ts'
import { createSessions, SESSION_SECONDS } from '../../src/portal/sign-in/sessions.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { createRegistry } from '../../src/tokens/registry.ts'
import { runs } from '../support/effort.ts'
import { temporaryDirectory } from '../support/gateway.ts'
import { partner, partnerConfig } from '../support/partners.ts'
import { newVisitor, startPortalGateway, usePortalGateway } from './portal-gateway.ts'

const gateway = usePortalGateway()

async function signedIn() {
  const one = gateway().nextPartner()
  const visitor = newVisitor(gateway().url)
  await visitor.signIn(one)
  return { one, visitor }
}

describe('a session', () => {
  it('lives eight hours from the sign-in, also when it is used until the end', async () => {
    const { visitor } = await signedIn()
    gateway().clock.advance((SESSION_SECONDS - 1) * 1000)
    expect((await visitor.get('/portal/usage')).status).toBe(200)
    gateway().clock.advance(1000)
    expect((await visitor.get('/portal/usage')).status).toBe(303)
    expect((await visitor.get('/portal/usage', { accept: '*/*' })).status).toBe(401)
  })

  it('ends with its key, its partner, or a new secret under the key’s id, and comes back with them', async () => {
    const { one, visitor } = await signedIn()
    const before = gateway().config
    const changed = (by: (partner: (typeof before.partners)[number]) => object) =>
      before.partners.map((each) => (each.id === one.id ? { ...each, ...by(each) } : each))
    const cases = {
      revoked: changed(({ keys }) => ({ keys: keys.map((key) => ({ ...key, revoked: true })) })),
      replaced: changed(({ keys }) => ({ keys: keys.map((key) => ({ ...key, sha256: 'ab'.repeat(32) })) })),
      gone: before.partners.filter(({ id }) => id !== one.id),
      'of another partner': before.partners.map((each) =>
        each.id === one.id ? { ...each, id: 'somebody-else', tenant: 'tn_sandbox_else' } : each,
      ),
    }
    for (const [name, partners] of Object.entries(cases)) {
      gateway().reconfigure((config) => ({ ...config, partners: partners as typeof config.partners }))
      expect((await visitor.get('/portal/usage')).status, name).toBe(303)
    }
    gateway().reconfigure(() => before)
    expect((await visitor.get('/portal/usage')).status).toBe(200)
  })

  it('opens the portal and nothing else', async () => {
    const { visitor } = await signedIn()
    const asJson = { accept: 'application/json' }
    for (const path of [
      '/v1/accounts',
      '/v1/webhooks',
      '/v1/score?customerRef=CUS-0001',
      '/v1/credit/simulate?amount=5011',
    ]) {
      const answer = await visitor.get(path, asJson)
      expect(answer.status, path).toBe(401)
    }
    const payment = await visitor.post('/v1/payments/fund', {}, asJson)
    expect(payment.status).toBe(401)
  })

  it('shows its own partner alone, whatever the request names', async () => {
    const { one, visitor } = await signedIn()
    const { one: other } = await signedIn()
    for (const path of [`/portal/usage?partner=${other.id}`, `/portal/usage?tenant=${other.tenant}`]) {
      const page = await (await visitor.get(path)).text()
      expect(page).toContain(one.tenant)
      expect(page).not.toContain(other.tenant)
    }
    const mismatch = await visitor.get('/portal/usage', { accept: '*/*', 'x-tenant-id': other.tenant })
    expect(mismatch.status).toBe(403)
  })

  it('goes before nothing: a token that comes along is judged, a bad one too', async () => {
    const { one, visitor } = await signedIn()
    const { one: other } = await signedIn()
    const json = { accept: 'application/json' }
    const token = await gateway().token(other)
    const both = await visitor.get('/portal/usage', { ...json, authorization: `Bearer ${token}` })
    expect(await both.json()).toMatchObject({ partner: other.id })
    const bad = await visitor.get('/portal/usage', { ...json, authorization: 'Bearer nonsense' })
    expect(bad.status).toBe(401)
    const scheme = await visitor.get('/portal/usage', { ...json, authorization: 'Basic dTpw' })
    expect(await scheme.json()).toMatchObject({ partner: one.id })
  })

  it('is not chosen between two cookies of its name', async () => {
    const { visitor } = await signedIn()
    const mine = visitor.cookies.get('sandgate_portal')
    const answer = await fetch(`${gateway().url}/portal/usage`, {
      headers: { accept: '*/*', cookie: `sandgate_portal=${mine}; sandgate_portal=${mine}` },
    })
    expect(answer.status).toBe(401)
  })
})

describe('the cookie', () => {
  const one = partner('p1')
  const registry = createRegistry([partnerConfig(one) as never])
  const proven = registry.prove(one.keyId, one.secret)
  if (!proven) throw new Error('the key is right')
  const sessions = createSessions({
    sign: (text) => createHmac('sha256', 'secret').update(text).digest(),
    hasEnded: () => false,
    end: async () => {},
  })
  const now = 1_800_000_000_000
  const { cookie } = sessions.begin(proven, now)

  it('is good as it is, and with any character changed, added or left out it is nobody’s', () => {
    expect(sessions.read(cookie, registry, now)).toMatchObject({ proven })
    const places = fc.integer({ min: 0, max: cookie.length - 1 })
    // The last character of base64url has spare bits; two spellings of one signature are one signature.
    const significant = places.filter((at) => at < cookie.length - 1)
    fc.assert(
      fc.property(significant, fc.constantFrom(...'ABCxyz019-_.'), (at, character) => {
        fc.pre(cookie[at] !== character)
        const changed = cookie.slice(0, at) + character + cookie.slice(at + 1)
        expect(sessions.read(changed, registry, now)).toBeUndefined()
        expect(sessions.read(cookie.slice(0, at) + cookie.slice(at + 1), registry, now)).toBeUndefined()
        expect(
          sessions.read(cookie.slice(0, at) + character + cookie.slice(at), registry, now),
        ).toBeUndefined()
      }),
      { numRuns: runs(300) },
    )
  })

  it('is read from any header without a fault, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const value = readCookie(text, 'sandgate_portal')
        expect(sessions.read(value, registry, now)).toBeUndefined()
      }),
    )
    expect(readCookie(`a=b; sandgate_portal=${cookie}; c`, 'sandgate_portal')).toBe(cookie)
    expect(readCookie(`xsandgate_portal=${cookie}`, 'sandgate_portal')).toBeUndefined()
  })

  it('of another installation opens nothing', () => {
    const other = createSessions({
      sign: (text) => createHmac('sha256', 'another secret').update(text).digest(),
      hasEnded: () => false,
      end: async () => {},
    })
    expect(other.read(cookie, registry, now)).toBeUndefined()
  })
})

describe('a restart', () => {
  it('keeps a session that lives, and one that was ended stays ended', async () => {
    const directory = temporaryDirectory('portal')
    const partners = [partner('p1')]
    const [one = partner('p1')] = partners
    const first = await startPortalGateway({ partners, directory })
    const [stays, leaves] = [newVisitor(first.url), newVisitor(first.url)]
    await stays.signIn(one)
    await leaves.signIn(one)
    const left = leaves.cookies.get('sandgate_portal')
    await leaves.post('/portal/sign-out', { token: await leaves.formToken('/portal/usage') })
    await first.close()

    const second = await startPortalGateway({ partners, directory })
    onTestFinished(() => second.close())
    const ask = (cookie: string | undefined) =>
      fetch(`${second.url}/portal/usage`, { headers: { cookie: `sandgate_portal=${cookie}` } })
    expect((await ask(stays.cookies.get('sandgate_portal'))).status).toBe(200)
    expect((await ask(left)).status).toBe(401)
  })
})

describe('a store that takes no writes', () => {
  it('keeps nobody from signing in, and a sign-out ends the session all the same', async () => {
    const now = 1_800_000_000_000
    const store = createMemoryStore()
    const sessions = portalSessions({
      ...store,
      settle: () => Promise.reject(new StoreUnavailable('the disk is full')),
    })
    const one = partner('p1')
    const registry = createRegistry([partnerConfig(one) as never])
    const proven = registry.prove(one.keyId, one.secret)
    if (!proven) throw new Error('the key is right')
    const { session, cookie } = sessions.begin(proven, now)
    expect(await sessions.read(cookie, registry, now)).toBeDefined()
    await sessions.end(session, now)
    expect(await sessions.read(cookie, registry, now)).toBeUndefined()
    await store.close()
  })
})

describe('beyond loopback', () => {
  it('the cookies are for HTTPS alone', async () => {
    const secure = await startPortalGateway({
      partners: [partner('p1')],
      change: (config) => ({
        ...config,
        listen: { ...config.listen, publicUrl: 'https://sandbox.example.com' },
      }),
    })
    onTestFinished(() => secure.close())
    const visitor = newVisitor(secure.url)
    const form = await visitor.get('/portal/sign-in')
    expect(form.headers.getSetCookie()[0]).toContain('; Secure')
    const answer = await visitor.signIn(partner('p1'))
    expect(answer.headers.getSetCookie()[0]).toContain('; HttpOnly; SameSite=Lax; Secure')
  })
})
