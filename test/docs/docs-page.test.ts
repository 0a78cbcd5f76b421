import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Request } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_KEY } from '../../src/config/sandbox-keys.ts'
import { EXAMPLE_KEY } from '../../src/operations/openapi-headers.ts'
import { ROWS } from '../../src/operations/operations.ts'
import {
  accessibilityViolations,
  DESKTOP,
  openReader,
  type Page,
  PHONE,
  useBrowser,
} from '../support/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const BROWSER = { accept: 'text/html', 'accept-language': 'en' }

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ partners: [partner('demo', { keyId: 'key_demo', secret: DEMO_KEY })] })
})

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { headers })

async function assets(): Promise<readonly string[]> {
  const html = await (await ask('/docs', BROWSER)).text()
  return [...html.matchAll(/<script src="(docs\/assets\/[^"]+)"/g)].map(([, path]) => `/${path}`)
}

describe('the documents of the reference', () => {
  it('run nothing inline and allow nothing from outside', async () => {
    const page = await ask('/docs', BROWSER)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; ")
    expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/)
    expect(policy).toContain("form-action 'none'")
    expect(await page.text()).not.toMatch(/<script(?![^>]* src=)|\son[a-z]+=|(?:src|href)="(?:https?:)?\/\//)
  })

  it('fit into 600 kB on the wire, packed either way', async () => {
    for (const coding of ['br', 'gzip']) {
      let bytes = 0
      for (const path of ['/docs', '/openapi.json', ...(await assets())]) {
        const answer = await ask(path, { ...BROWSER, 'accept-encoding': coding })
        bytes += Number(answer.headers.get('content-length'))
      }
      expect(bytes, coding).toBeGreaterThan(100_000)
      expect(bytes, coding).toBeLessThan(350_000)
    }
  })

  it('are kept for ever under a name that changes with their content', async () => {
    for (const path of await assets()) {
      const { headers } = await ask(path)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      const other = path.replace(/\.[^.]+\.js$/, '.AAAAAAAAAAAAAAAA.js')
      expect((await ask(other)).status).toBe(404)
    }
  })

  it('are the same in every coding, each with an ETag of its own', async () => {
    const { request } = await import('undici')
    for (const path of ['/openapi.json', ...(await assets())]) {
      const read = async (coding: string | undefined) => {
        const headers = coding === undefined ? {} : { 'accept-encoding': coding }
        const answer = await request(`${gateway.url}${path}`, { headers })
        return { headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) }
      }
      const [plain, br, gzip, refused] = await Promise.all([
        read(undefined),
        read('gzip, deflate, br'),
        read('gzip'),
        read('br;q=0, *;q=0.5, gzip;q=0.1'),
      ])
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip'])
      expect(refused.headers['content-encoding']).toBeUndefined()
      expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true)
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true)
      expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3)
      for (const { headers } of [plain, br, gzip]) expect(headers.vary).toBe('Accept-Encoding')
    }
  })

  it('are not sent again to who has them', async () => {
    for (const path of ['/openapi.json', ...(await assets())]) {
      const etag = (await ask(path)).headers.get('etag') ?? ''
      const headers = { 'accept-encoding': 'identity' }
      const mine = (await ask(path, headers)).headers.get('etag') ?? ''
      for (const condition of [mine, `W/${mine}`, `"other", ${mine}`, '*']) {
        const again = await ask(path, { ...headers, 'if-none-match': condition })
        expect([again.status, await again.text()]).toEqual([304, ''])
      }
      expect((await ask(path, { ...headers, 'if-none-match': '"other"' })).status).toBe(200)
      expect(etag).not.toBe('')
    }
  })

  it.each(['docs.js', 'rapidoc.js', '..%2fpackage.json', 'constructor', 'docs.', 'rapidoc.x.js'])(
    'have no file %j',
    async (file) => expect((await ask(`/docs/assets/${file}`)).status).toBeGreaterThanOrEqual(400),
  )

  it('show the demo credentials only where they work', async () => {
    expect(await (await ask('/docs', BROWSER)).text()).toContain(DEMO_KEY)
    const other = await startGateway({ runs: 'here' })
    const page = await fetch(`${other.url}/docs`, { headers: BROWSER })
    expect(await page.text()).not.toContain('sk_sandbox_')
    await other.stop()
  })
})

describe('the reference in a browser', () => {
  const browser = useBrowser()

  async function open(options = {}, path = ''): Promise<Page> {
    const view = { viewport: DESKTOP, locale: 'en-GB', ...options }
    const { page } = await openReader(browser(), gateway.url, view)
    await page.goto(`${gateway.url}/docs${path}`)
    await page.getByRole('button', { name: 'TRY', exact: true }).waitFor()
    return page
  }

  const goTo = async (page: Page, method: string, path: string) => {
    const anchor = `#${method}-${path.replaceAll(/[{}]/g, '-')}`
    await page.evaluate(`location.hash = ${JSON.stringify(anchor)}`)
    await page.getByText(path, { exact: true }).last().waitFor()
  }

  const send = async (page: Page) => {
    const sent = page.waitForResponse((answer) => !/docs|openapi|auth\/token/.test(answer.url()))
    await page.getByRole('button', { name: 'TRY', exact: true }).click()
    return await sent
  }

  const keyOf = (request: Request) => request.headers()['idempotency-key']

  it('fetches a token by itself, once, and gives each POST a fresh key, which it shows', async () => {
    const page = await open()
    const exchanges: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/auth/token')) exchanges.push(request.url())
    })
    const shown = await page.getByLabel('Idempotency-Key').inputValue()
    const first = await send(page)
    expect(first.status()).toBe(200)
    await page.getByText(/"pay_/).first().waitFor()
    const second = await send(page)
    expect(second.status()).toBe(200)
    expect(exchanges).toHaveLength(1)
    const keys = [first, second].map((answer) => keyOf(answer.request()))
    expect(keys).toEqual([shown, expect.stringMatching(UUID_V4)])
    expect(new Set([...keys, EXAMPLE_KEY]).size).toBe(3)
    // Neither is filled in unless somebody chooses it.
    expect(first.request().headers()).not.toHaveProperty('x-tenant-id')
    expect(first.request().headers()).not.toHaveProperty('x-sandbox-outcome')
    // After a token was refused, another one is fetched.
    const refused = { status: 401, json: { code: 'TOKEN_INVALID' } }
    await page.route('**/v1/payments/fund', (route) => route.fulfill(refused), { times: 1 })
    expect((await send(page)).status()).toBe(401)
    expect((await send(page)).status()).toBe(200)
    expect(exchanges).toHaveLength(2)
  })

  it('keeps what its reader has typed', async () => {
    const page = await open()
    const key = '7b8f0f9e-2d64-4f0d-9b3c-3e0f4a9f2c11'
    await page.getByLabel('Idempotency-Key').fill(key)
    await page.locator('textarea').fill('{"amount": 1234500}')
    const answers = [await send(page), await send(page)]
    for (const answer of answers) expect(keyOf(answer.request())).toBe(key)
    expect(await answers[1]?.headerValue('idempotency-replayed')).toBe('true')
    expect(await answers[0]?.json()).toMatchObject({ amount: 1234500, outcome: 'failed' })
  })

  it('fills in the ids of what was made last', async () => {
    const page = await open()
    await goTo(page, 'post', '/v1/accounts/open')
    const { accountId } = await (await send(page)).json()
    await goTo(page, 'get', '/v1/accounts/{accountId}')
    await expect.poll(() => page.getByLabel('accountId').inputValue()).toBe(accountId)
    expect((await send(page)).status()).toBe(200)
    await goTo(page, 'post', '/v1/webhooks')
    const { webhookId } = await (await send(page)).json()
    await goTo(page, 'get', '/v1/webhooks/{webhookId}')
    await expect.poll(() => page.getByLabel('webhookId').inputValue()).toBe(webhookId)
  })

  it('leads to every operation, and shows what stands before all of them as one response', async () => {
    const page = await open()
    const links = page.locator('.operations a')
    expect(await links.count()).toBe(ROWS.length)
    for (const [index, { path, method }] of ROWS.entries()) {
      await links.nth(index).click()
      const title = page.locator('[part="section-operation-webhook-method"]')
      const shown = async () => (await title.textContent())?.replaceAll(/\s+/g, ' ').trim().toLowerCase()
      await expect.poll(shown).toBe(`${method} ${path}`.toLowerCase())
      const statuses = await page
        .locator('api-response')
        .locator('[part~="btn-response-status"]')
        .allInnerTexts()
      expect(statuses.length, path).toBeLessThanOrEqual(5)
      expect(statuses.at(-1)?.trim().toLowerCase()).toBe('others')
    }
    await page.locator('api-response').getByRole('button', { name: 'others' }).click()
    await page.getByRole('link', { name: 'RATE_LIMITED' }).waitFor()
  })

  it('says what is missing when there are no credentials', async () => {
    const page = await open()
    await page.getByLabel('client_secret').first().fill('')
    await page.getByRole('button', { name: 'Get a token' }).click()
    await page.getByText('Enter client_id and client_secret first.').waitFor()
  })

  it.each([
    { view: 'a phone, dark, in French', viewport: PHONE, colorScheme: 'dark', locale: 'fr-CI' },
    { view: 'a desk, light, in English', viewport: DESKTOP, colorScheme: 'light', locale: 'en-GB' },
  ] as const)('is short, fits and can be used by everybody on $view', async ({ view, ...options }) => {
    const page = await open(options)
    await send(page)
    await page.getByText(/"pay_/).first().waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await page
      .locator('api-response')
      .getByRole('button', { name: /others|autres/i })
      .click()
    // All else is as it was.
    expect(await accessibilityViolations(page, { within: ['rapi-doc', 'api-response'] })).toEqual([])
    const size = await page.evaluate<{ over: number; height: number }>(
      '({ over: document.documentElement.scrollWidth - innerWidth, height: document.documentElement.scrollHeight })',
    )
    expect(size.over).toBeLessThanOrEqual(0)
    expect(size.height).toBeLessThan(5500)
    expect(await page.locator('html').getAttribute('lang')).toBe(options.locale.slice(0, 2))
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('API')
  })
})
