import { describe, expect, it, vi } from 'vitest'
import { createFieldCheck } from '../../src/checks/fields.ts'
import { portalUsage } from '../../src/operations/portal-usage.ts'
import { WAIT_MS } from '../support/effort.ts'
import { partner } from '../support/partners.ts'
import {
  BROWSER,
  newVisitor,
  type PortalGateway,
  startPortalGateway,
  usePortalGateway,
} from './portal-gateway.ts'

const gateway = usePortalGateway()

type Who = 'nobody' | 'token' | 'bad token' | 'cookie' | 'bad cookie'

async function ask(who: Who, accept: string | undefined, method = 'GET', path = '/portal/usage') {
  const one = gateway().partners.at(-1) ?? partner('p20')
  const headers: Record<string, string> = accept === undefined ? {} : { accept }
  if (who === 'token') headers.authorization = `Bearer ${await gateway().token(one)}`
  if (who === 'bad token') headers.authorization = 'Bearer x.y.z'
  if (who === 'bad cookie') headers.cookie = 'sandgate_portal=key_p1.1.x.y'
  if (who === 'cookie') {
    const visitor = newVisitor(gateway().url)
    await visitor.signIn(one)
    headers.cookie = `sandgate_portal=${visitor.cookies.get('sandgate_portal')}`
  }
  return fetch(gateway().url + path, { method, headers, redirect: 'manual' })
}

describe('what /portal/usage answers', () => {
  const PAGE = 'text/html; charset=utf-8'
  const JSON_TYPE = 'application/json'
  const PROBLEM = 'application/problem+json'
  const cases: [Who, string | undefined, number, string | null][] = [
    ['nobody', BROWSER, 303, '/portal/sign-in'],
    ['nobody', 'text/html', 303, '/portal/sign-in'],
    ['nobody', '*/*', 401, PROBLEM],
    ['nobody', undefined, 401, PROBLEM],
    ['nobody', 'application/json', 401, PROBLEM],
    ['nobody', 'application/json, text/html;q=0.9', 401, PROBLEM],
    ['bad cookie', BROWSER, 303, '/portal/sign-in'],
    ['bad cookie', '*/*', 401, PROBLEM],
    ['bad token', BROWSER, 401, PAGE],
    ['bad token', '*/*', 401, PROBLEM],
    ['token', BROWSER, 200, PAGE],
    ['token', 'text/html', 200, PAGE],
    ['token', '*/*', 200, JSON_TYPE],
    ['token', undefined, 200, JSON_TYPE],
    ['token', 'application/json, text/html;q=0.9', 200, JSON_TYPE],
    ['cookie', BROWSER, 200, PAGE],
    ['cookie', '*/*', 200, JSON_TYPE],
    ['cookie', 'application/json', 200, JSON_TYPE],
  ]
  it.each(cases)('%s who accepts %s gets %i', async (who, accept, status, told) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(who, accept, method)
      expect(answer.status).toBe(status)
      expect(answer.headers.get(status === 303 ? 'location' : 'content-type')).toBe(told)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
      if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })

  it('is the interface’s own document with the cookie too, history included', async () => {
    const check = createFieldCheck(portalUsage.success.schema, 'pointer')
    const answer = await ask('cookie', 'application/json', 'GET', '/portal/usage?history=days')
    const body = await answer.json()
    expect(check(body, 0)).toEqual([])
    expect(body).toHaveProperty('history')
  })

  it('takes no other method, and what people type leads there', async () => {
    expect((await ask('cookie', BROWSER, 'POST')).status).toBe(405)
    for (const path of ['/portal', '/portal/']) {
      const answer = await ask('nobody', BROWSER, 'GET', path)
      expect(answer.status).toBe(308)
      expect(answer.headers.get('location')).toBe('/portal/usage')
    }
  })

  it('allows nothing from outside and nothing inline but its own, and is kept by nobody', async () => {
    for (const [who, path] of [
      ['cookie', '/portal/usage'],
      ['nobody', '/portal/sign-in'],
    ] as const) {
      const answer = await ask(who, BROWSER, 'GET', path)
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("form-action 'self'")
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(answer.headers.get('referrer-policy')).toBe('same-origin')
      expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow')
      const text = await answer.text()
      expect(text).not.toMatch(/(?:src|href|action)="(?!data:|\/|#)/)
      expect(text).not.toMatch(/ style="| on[a-z]+="/)
    }
  })
})

describe('what is counted', () => {
  it('with the cookie is the address, so a partner in a 429 storm still sees the page', async () => {
    const stormy = await startPortalGateway({
      partners: [partner('p1', { rateLimits: { other: 3, 'payments.fund': 2 } })],
    })
    try {
      const one = stormy.partners[0] ?? partner('p1')
      const visitor = newVisitor(stormy.url)
      await visitor.signIn(one)
      const authorization = `Bearer ${await stormy.token(one)}`
      for (let i = 0; i < 5; i++) await fetch(`${stormy.url}/v1/accounts`, { headers: { authorization } })
      for (let i = 0; i < 4; i++) await stormy.pay(one, 1077)
      const withToken = await fetch(`${stormy.url}/portal/usage`, { headers: { authorization } })
      expect(withToken.status).toBe(429)
      const page = await visitor.get('/portal/usage')
      expect(page.status).toBe(200)
      expect(page.headers.get('x-ratelimit-limit')).toBe('10000')
      const text = await page.text()
      expect(text).toContain('Rate limit reached: Funding')
      expect(text).toContain('Rate limit reached: Everything else')
      const json = await visitor.get('/portal/usage', { accept: '*/*' })
      expect(json.status).toBe(200)
      expect(await json.json()).toMatchObject({
        rateLimits: expect.arrayContaining([expect.objectContaining({ group: 'other', remaining: 0 })]),
      })
    } finally {
      await stormy.close()
    }
  })

  it('is no request of the partner when its page is looked at', async () => {
    const one = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    await visitor.signIn(one)
    for (let i = 0; i < 5; i++) await visitor.get('/portal/usage')
    await gateway().pay(one, 1077)
    const history = await historyOf(gateway(), visitor)
    expect(history.map(({ operation }) => operation).sort()).toEqual(['auth.token', 'payments.fund'])
  })
})

describe('the page', () => {
  it('tells of a refusal its code, what to do, and the id to quote, and finds it by that id', async () => {
    const one = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    await visitor.signIn(one)
    const refused = await fetch(`${gateway().url}/v1/accounts/acc_unknown`, {
      headers: { authorization: `Bearer ${await gateway().token(one)}` },
    })
    const id = refused.headers.get('x-request-id') ?? ''
    await vi.waitFor(async () => expect(await (await visitor.get('/portal/usage')).text()).toContain(id), {
      timeout: WAIT_MS,
      interval: 200,
    })
    const page = await (await visitor.get('/portal/usage?lang=fr')).text()
    expect(page).toContain('<a href="/docs/errors/ACCOUNT_NOT_FOUND">')
    expect(page).toContain('Utilisez un accountId que POST /v1/accounts/open a rendu au même tenant.')
    const found = await (await visitor.get(`/portal/usage?request=${id}`)).text()
    expect(found).toMatch(/<h3>Found<\/h3>.*ACCOUNT_NOT_FOUND/s)
    const stranger = newVisitor(gateway().url)
    await stranger.signIn(gateway().nextPartner())
    const others = await (await stranger.get(`/portal/usage?request=${id}`)).text()
    expect(others).toContain('is not among your recent refusals')
    expect(others).not.toContain('ACCOUNT_NOT_FOUND')
  })

  it('repeats what was searched for as text, whatever it is', async () => {
    const visitor = newVisitor(gateway().url)
    await visitor.signIn(gateway().nextPartner())
    const nasty = '"><script>alert(1)</script>'
    const page = await (await visitor.get(`/portal/usage?request=${encodeURIComponent(nasty)}`)).text()
    expect(page).not.toContain('<script>alert')
    expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)')
  })
})

async function historyOf({ url }: PortalGateway, visitor: ReturnType<typeof newVisitor>) {
  expect(url).toBeDefined()
  return vi.waitFor(
    async () => {
      const answer = await visitor.get('/portal/usage?history=hours', { accept: 'application/json' })
      const { history } = (await answer.json()) as { history: { operation: string }[] }
      expect(history.map(({ operation }) => operation)).toContain('payments.fund')
      return history
    },
    { timeout: WAIT_MS, interval: 200 },
  )
}
