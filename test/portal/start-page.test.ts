import { describe, expect, it, onTestFinished } from 'vitest'
import type { CapturedExchange } from '../../src/cassettes/interaction.ts'
import { demoCredentials } from '../../src/config/demo.ts'
import { CATALOGUE } from '../../src/errors/catalogue.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { startReplay } from '../../src/start/replay.ts'
import { exchange } from '../cassettes/recording-fixtures.ts'
import { cassetteOf } from '../cli/cassette-fixtures.ts'
import { BROWSER, newVisitor, startPortalGateway, usePortalGateway } from './portal-gateway.ts'

const captured: CapturedExchange[] = []
const gateway = usePortalGateway({
  observer: { isActive: () => true, record: (one) => captured.push(one) },
})

const ask = (path: string, accept: string, more: Record<string, string> = {}, method = 'GET') =>
  fetch(gateway().url + path, {
    method,
    redirect: 'manual',
    headers: { accept, 'accept-language': 'en', ...more },
  })

describe('the root', () => {
  it('is a page for a person, with a first call and every way on, each of which leads somewhere', async () => {
    const answer = await ask('/', BROWSER)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await answer.text()
    expect(text).toContain(`curl -s ${gateway().url}/auth/token`)
    const links = [...text.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, path = '']) => path)
    expect(links).toEqual(expect.arrayContaining(['/portal/usage', '/docs', '/docs/errors', '/openapi.json']))
    for (const path of links) expect((await ask(path, BROWSER)).status, path).toBeLessThan(400)
  })

  it('is a few links for everybody else, each of which leads somewhere', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const answer = await ask('/', accept)
      expect(answer.headers.get('content-type')).toBe('application/json')
      const { name, ...links } = (await answer.json()) as Record<string, string>
      expect(name).toBe('Sandgate partner sandbox')
      for (const url of Object.values(links)) {
        expect(url.startsWith(`${gateway().url}/`)).toBe(true)
        expect([200, 401, 405]).toContain((await fetch(url)).status)
      }
    }
  })

  it('shows the published key only where it works', async () => {
    expect(demoCredentials(gateway().config)).toBeUndefined()
    expect(await (await ask('/', BROWSER)).text()).toContain('client_secret=sk_sandbox_…')
  })
})

describe('the reference', () => {
  it('has an index of every code, each with its page, and the way there that people type', async () => {
    const index = await (await ask('/docs/errors', BROWSER)).text()
    for (const code of Object.keys(CATALOGUE)) expect(index).toContain(`href="/docs/errors/${code}"`)
    const typed = await ask('/docs/', BROWSER)
    expect([typed.status, typed.headers.get('location')]).toEqual([308, '/docs'])
  })
})

describe('who opens an address of the API in a browser', () => {
  it.each([
    ['/v1/accounts', 401, 'TOKEN_MISSING'],
    ['/nothing/here', 404, 'NOT_FOUND'],
    ['/docs/assets/unknown.js', 404, 'NOT_FOUND'],
  ])('at %s gets a page, and a client its problem document, both %i', async (path, status, code) => {
    const page = await ask(path, BROWSER)
    expect(page.status).toBe(status)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const text = await page.text()
    expect(text).toContain(`data-code="${code}"`)
    expect(text).toContain(page.headers.get('x-request-id') ?? '-')
    expect(text).not.toContain(path)
    const problem = await ask(path, '*/*')
    expect(problem.headers.get('content-type')).toBe('application/problem+json')
    expect(await problem.json()).toMatchObject({ code, status })
  })

  it('keeps the challenge of a 401', async () => {
    const page = await ask('/v1/accounts', BROWSER, { authorization: 'Bearer x.y.z' })
    expect(page.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('gets a problem document for everything but a GET', async () => {
    const answer = await ask('/v1/payments/fund', BROWSER, {}, 'POST')
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })
})

describe('a recording', () => {
  it('holds no page of the portal and nothing that its cookie opened, and what a token read', async () => {
    const one = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    captured.length = 0
    await visitor.signIn(one)
    await visitor.get('/portal/usage')
    await visitor.get('/portal/usage', { accept: 'application/json' })
    const authorization = `Bearer ${await gateway().token(one)}`
    await visitor.get('/portal/usage', { authorization })
    await visitor.get('/')
    await visitor.post('/portal/sign-out', { token: await visitor.formToken('/portal/usage') })
    expect(captured.map(({ request: { target } }) => target)).toEqual(['/auth/token'])
    await visitor.get('/portal/usage', { authorization, accept: 'application/json' })
    expect(captured.map(({ operation }) => operation)).toEqual(['auth.token', 'portal.usage'])
  })
})

describe('at replay', () => {
  const html = ['Content-Type', 'text/html'] as const
  const headers = [['Accept', BROWSER]] as const
  const problem = ['Content-Type', 'application/problem+json'] as const

  type Recorded = Parameters<typeof exchange>[0] & { readonly origin?: string }

  async function start(...parts: Recorded[]) {
    const exchanges = parts.map(
      ({ origin = 'upstream', ...each }) => ({ ...exchange(each), origin }) as CapturedExchange,
    )
    const { config } = gateway()
    const running = await startReplay({
      load: () => [cassetteOf(exchanges)],
      config,
      partners: 'any',
      logger: createLogger({ requests: false, format: 'off' }),
    })
    onTestFinished(running.close)
    return running
  }
  const open = (url: string) => fetch(url, { headers: { accept: BROWSER } })

  it('who opens it in a browser gets the start page, which is no miss', async () => {
    const running = await start()
    const answer = await open(`${running.url}/`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).not.toContain('/portal/usage')
    expect(running.misses()).toEqual([])
  })

  it('a recorded root is the recorded one', async () => {
    const recorded = {
      method: 'GET',
      target: '/',
      headers,
      replyHeaders: [html],
      reply: 'their own front page',
    }
    const running = await start(recorded)
    expect(await (await open(`${running.url}/`)).text()).toBe('their own front page')
  })

  it('a recorded 404 goes before our page, and an unrecorded path is a miss', async () => {
    const theirs = {
      method: 'GET',
      target: '/theirs',
      headers,
      status: 404,
      replyHeaders: [html],
      reply: 'not here',
    }
    const running = await start(theirs)
    const answer = await open(`${running.url}/theirs`)
    expect([answer.status, await answer.text()]).toEqual([404, 'not here'])
    expect((await open(`${running.url}/nowhere`)).status).toBe(424)
  })

  it('a 401 that was recorded as a problem document stays one for a browser', async () => {
    const reply = JSON.stringify({ code: 'TOKEN_MISSING', status: 401 })
    const refused = {
      method: 'GET',
      target: '/v1/accounts',
      operation: 'accounts.list',
      status: 401,
      headers,
    }
    for (const origin of ['upstream', 'edge:TOKEN_MISSING']) {
      const running = await start({ ...refused, origin, replyHeaders: [problem], reply })
      const answer = await open(`${running.url}/v1/accounts`)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      expect(running.misses()).toEqual([])
    }
    const nothing = await start()
    const page = await open(`${nothing.url}/v1/accounts`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(nothing.misses()).toEqual([])
  })

  it('has no portal: nobody signs in there', async () => {
    const running = await start()
    const answer = await open(`${running.url}/portal/usage`)
    expect(answer.status).toBe(401)
  })
})

describe('a demo gateway', () => {
  it('has the published key filled in, on the start page and at sign-in', async () => {
    const { DEMO_PARTNER } = await import('../../src/config/demo.ts')
    const demo = await startPortalGateway({ change: (config) => ({ ...config, partners: [DEMO_PARTNER] }) })
    onTestFinished(() => demo.close())
    for (const path of ['/', '/portal/sign-in']) {
      const page = await fetch(demo.url + path, { headers: { accept: BROWSER } })
      expect(await page.text()).toContain('sk_sandbox_demo_key_for_local_use_only')
    }
  })
})
