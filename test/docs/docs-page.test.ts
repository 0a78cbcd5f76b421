import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildOpenApi } from '../../src/operations/openapi.ts'
import { EXAMPLE_KEY } from '../../src/operations/openapi-headers.ts'
import { docsPages } from '../../src/portal/docs-page.ts'
import type { PageAnswer, Visit } from '../../src/portal/page.ts'
import { DESKTOP, openReader, type Page, PHONE, useBrowser } from '../support/browser.ts'

type Received = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

const DEMO = { clientId: 'key_demo', clientSecret: 'sk_sandbox_demo_key_for_local_use_only' }
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let server: Server
let base = ''
let demo: typeof DEMO | undefined = DEMO
const received: Received[] = []
const pages = docsPages({ demo: () => demo })
const docs = pages.find(({ path }) => path === '/docs')
const asset = pages.find(({ path }) => path === '/docs/assets/{file}')

async function visit(page: typeof docs, params: Record<string, string> = {}): Promise<PageAnswer> {
  if (!page) throw new Error('there are two pages')
  // These pages read nothing but the parameters.
  return await page.render({ params } as Visit)
}

async function shown(params?: Record<string, string>) {
  const answer = await visit(params ? asset : docs, params)
  if (answer.kind !== 'page') throw new Error(answer.refusal.code)
  return { headers: answer.headers, body: String(answer.body) }
}

/** The gateway as the page sees it: the document, the token exchange, and operations that say what they got. */
async function answer(req: IncomingMessage): Promise<PageAnswer> {
  const path = new URL(req.url ?? '/', base).pathname
  const json = (value: object): PageAnswer => {
    const headers = { 'content-type': 'application/json' }
    return { kind: 'page', status: 200, headers, body: JSON.stringify(value) }
  }
  if (path === '/docs') return await visit(docs)
  if (path.startsWith('/docs/assets/'))
    return await visit(asset, { file: path.slice('/docs/assets/'.length) })
  if (path === '/openapi.json') return json(buildOpenApi({ publicUrl: 'https://elsewhere.example.org' }))
  received.push({ method: req.method ?? '', url: path, headers: req.headers })
  if (path === '/auth/token')
    return json({ access_token: 'the-token', token_type: 'Bearer', expires_in: 3600 })
  return json({ paymentId: 'pay_seen' })
}

beforeAll(async () => {
  server = createServer((req, res) => {
    void answer(req).then((page) => {
      if (page.kind === 'page') res.writeHead(page.status, page.headers).end(page.body)
      else res.writeHead(404).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(() => {
  demo = DEMO
  received.length = 0
})

describe('the documents of the reference', () => {
  it('show the demo credentials only while they are offered', async () => {
    expect((await shown()).body).toContain(`value="${DEMO.clientSecret}"`)
    demo = undefined
    expect((await shown()).body).not.toContain('sk_sandbox_')
  })

  it('carry nothing inline and allow nothing from outside', async () => {
    const { headers, body } = await shown()
    expect(headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    )
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/)
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\son[a-z]+=|https?:/)
  })

  it.each([
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['docs.js', 'text/javascript; charset=utf-8'],
    ['docs.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ])('serve %s as %s, for an hour', async (file, contentType) => {
    const { headers } = await shown({ file })
    expect(headers).toEqual({ 'content-type': contentType, 'cache-control': 'max-age=3600' })
  })

  it.each(['package.json', 'swagger-ui.js', '../package.json', '..%2fpackage.json', 'constructor', ''])(
    'have no file %j',
    async (file) => {
      expect(await visit(asset, { file })).toMatchObject({ kind: 'refused', refusal: { code: 'NOT_FOUND' } })
    },
  )
})

describe('the reference in a browser', () => {
  const browser = useBrowser()

  async function open(options = {}): Promise<Page> {
    const { page } = await openReader(browser(), base, { viewport: DESKTOP, ...options })
    await page.goto(`${base}/docs`)
    await page.getByText('/v1/payments/fund', { exact: true }).waitFor()
    return page
  }

  async function execute(page: Page, path: string): Promise<void> {
    const block = page.locator('.opblock', { has: page.getByText(path, { exact: true }) })
    await block.locator('.opblock-summary-control').first().click()
    await block.getByRole('button', { name: 'Try it out' }).click()
    await block.getByRole('button', { name: 'Execute' }).click()
    await block.getByText('pay_seen').first().waitFor()
  }

  it('fetches a token by itself, once, and gives each POST a fresh key', async () => {
    const page = await open()
    await execute(page, '/v1/payments/fund')
    await page.getByRole('button', { name: 'Execute' }).click()
    await expect.poll(() => received.length).toBe(3)
    expect(received.map(({ url }) => url)).toEqual(['/auth/token', '/v1/payments/fund', '/v1/payments/fund'])
    const [, first, second] = received.map(({ headers }) => headers)
    expect(first?.authorization).toBe('Bearer the-token')
    const keys = [first, second].map((headers) => headers?.['idempotency-key'])
    expect(keys).toEqual([expect.stringMatching(UUID_V4), expect.stringMatching(UUID_V4)])
    expect(new Set([...keys, EXAMPLE_KEY]).size).toBe(3)
    // Neither is filled in unless somebody chooses it.
    expect(first).not.toHaveProperty('x-tenant-id')
    expect(first).not.toHaveProperty('x-sandbox-outcome')
  })

  it('says what is missing when there are no credentials', async () => {
    demo = undefined
    const page = await open()
    await page.getByRole('button', { name: 'Get a token' }).click()
    await page.getByText('Enter client_id and client_secret first.').waitFor()
    expect(received).toEqual([])
  })

  it('fits on a phone', async () => {
    const page = await open({ viewport: PHONE })
    await execute(page, '/v1/payments/fund')
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
