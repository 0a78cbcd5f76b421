import { describe, expect, it, onTestFinished } from 'vitest'
import type { Overview } from '../../src/portal/overview/facts.ts'
import { overviewPage } from '../../src/portal/overview/page.ts'
import { accessibilityViolations, DESKTOP, openReader, PHONE, useBrowser } from '../support/browser.ts'
import { partner } from '../support/partners.ts'
import { BROWSER, startPortalGateway, usePortalGateway } from './portal-gateway.ts'

const TOKEN = 'operator-token-of-this-test'
const browser = useBrowser()
const partners = ['acme', 'baobab', 'cauri'].map((id) => partner(id, { rateLimits: { 'payments.fund': 2 } }))
const gateway = usePortalGateway({ partners })
const guarded = usePortalGateway({
  partners: [partner('acme')],
  change: (config) => ({ ...config, operator: { ...config.operator, token: TOKEN } }),
})

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

describe('the overview', () => {
  it('shows what partners did lately, those with 429s first, and goes on by itself', async () => {
    const [, baobab = partner('baobab')] = gateway().partners
    const { page } = await openReader(browser(), gateway().operatorUrl, { viewport: DESKTOP, hasClock: true })
    await page.goto(`${gateway().operatorUrl}/`)
    expect(await page.locator('.verdict').textContent()).toContain('All in order.')
    for (let i = 0; i < 5; i++) await gateway().pay(baobab, 25_000_000)
    await expect
      .poll(
        async () => {
          await page.clock.runFor(11_000)
          return page.locator('tbody tr').first().textContent()
        },
        { interval: 300 },
      )
      .toBe('Partner baobab baobab630100% payments.fund')
    const verdict = await page.locator('.verdict').textContent()
    expect(verdict).toContain('Answered with 429 lately: Partner baobab')
    expect(verdict).toContain('At a cap: Partner baobab')
    for (const [path, status] of [
      ['/metrics', 200],
      ['/readyz', 200],
    ] as const)
      expect((await fetch(gateway().operatorUrl + path)).status).toBe(status)
  })

  it.each([
    { name: 'a phone, light', viewport: PHONE, colorScheme: 'light' },
    { name: 'a desk, dark', viewport: DESKTOP, colorScheme: 'dark' },
  ] as const)('is accessible and fits on $name', async ({ viewport, colorScheme }) => {
    const { page } = await openReader(browser(), gateway().operatorUrl, { viewport, colorScheme })
    await page.goto(`${gateway().operatorUrl}/`)
    expect(await accessibilityViolations(page)).toEqual([])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate<number>(overflow)).toBe(0)
  })

  const troubled: Overview = {
    now: 1_800_000_000_000,
    version: '1.0.0',
    isDraining: false,
    isOverloaded: true,
    inFlight: 1,
    store: { engine: 'embedded', fault: 'It takes no writes: the disk is full' },
    configuration: { ok: false, errors: ['sandgate.yaml:3: <b>'] },
    decides: 'remote',
    upstream: { breaker: 'closed' },
    recordings: [{ name: 'monday', partner: null, state: 'bad', exchanges: 3, fault: 'it fell behind' }],
    partners: [],
    since: 1_800_000_000_000,
    publicUrl: 'https://sandbox.example.com',
  }

  it('says what is wrong with store, configuration and recordings', () => {
    const text = String(overviewPage(troubled).body)
    for (const told of [
      'more to do than it can',
      'The store takes no writes',
      'the disk is full',
      'sandgate.yaml:3: &lt;b&gt;',
      'A recording is incomplete',
      'it fell behind',
      'An upstream decides. 1 request in flight',
      'No partner is configured',
    ])
      expect(text).toContain(told)
  })

  it('says when the upstream fails and when it is tried again', () => {
    const page = (breaker: string) => String(overviewPage({ ...troubled, upstream: { breaker } }).body)
    expect(page('open')).toContain('The upstream fails: what it decides is refused with 502')
    expect(page('open')).toContain('it is left alone for a moment')
    expect(page('half-open')).toContain('The upstream is tried again, one request at a time')
    expect(page('closed')).not.toMatch(/it fails|tried again/)
  })

  it('names what only a restart takes', () => {
    const configuration = { ok: true, needsRestart: ['listen.port'] }
    const text = String(overviewPage({ ...troubled, configuration }).body)
    expect(text).toContain('Only a restart takes: listen.port')
    expect(text).toContain('The files on disk are in force, but for listen.port')
  })

  it('is data for who is no browser', async () => {
    const answer = await fetch(`${gateway().operatorUrl}/`)
    expect(answer.headers.get('content-type')).toContain('application/json')
    const { partners: rows, ...state } = (await answer.json()) as { partners: { id: string }[] }
    expect(rows.map(({ id }) => id)).toEqual(['acme', 'baobab', 'cauri'])
    expect(state).toMatchObject({
      store: { engine: 'memory' },
      configuration: { ok: true },
      decides: 'local',
    })
  })

  it('of a thousand partners shows the hundred that matter most, and stays light', async () => {
    const many = await startPortalGateway({
      partners: Array.from({ length: 1000 }, (_, index) => partner(`p${index}`)),
    })
    onTestFinished(() => many.close())
    const answer = await fetch(`${many.operatorUrl}/`, { headers: { accept: BROWSER } })
    const text = await answer.text()
    expect(text).toContain('And 900 quieter ones.')
    expect(text.length).toBeLessThan(150_000)
  })
})

describe('with an operator token', () => {
  const ask = (path: string, authorization?: string, method = 'GET') =>
    fetch(guarded().operatorUrl + path, {
      method,
      headers: { accept: BROWSER, ...(authorization !== undefined && { authorization }) },
    })

  it('the overview takes it as a password, whatever the name, and asks a browser for it', async () => {
    const asked = await ask('/')
    expect(asked.status).toBe(401)
    expect(asked.headers.get('www-authenticate')).toContain('Basic realm="Sandgate operator"')
    for (const name of ['', 'operator', 'a b']) expect((await ask('/', basic(name, TOKEN))).status).toBe(200)
    expect((await ask('/', `Bearer ${TOKEN}`)).status).toBe(200)
    expect((await ask('/', basic('x', TOKEN), 'HEAD')).status).toBe(200)
  })

  it.each([
    basic('operator', `${TOKEN}x`),
    basic('operator', ''),
    basic(TOKEN, ''),
    basic(TOKEN, 'x'),
    'Basic',
    'Basic !!!',
    `Basic ${TOKEN}`,
    `Bearer ${Buffer.from(`:${TOKEN}`).toString('base64')}`,
    'Bearer',
  ])('%s opens nothing', async (authorization) => {
    expect((await ask('/', authorization)).status).toBe(401)
  })

  it('nothing else takes a password, whatever its method or spelling', async () => {
    const password = basic('operator', TOKEN)
    for (const path of ['/metrics', '/signing-keys', '/recordings', '/nothing', '//', '/;/', '/%2F']) {
      const answer = await ask(path, password)
      expect(answer.status, path).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
    for (const [method, path] of [
      ['POST', '/signing-keys/rotate'],
      ['POST', '/recordings'],
      ['POST', '/clock'],
      ['DELETE', '/recordings/x'],
      ['POST', '/'],
    ] as const)
      expect((await ask(path, password, method)).status, `${method} ${path}`).toBeGreaterThanOrEqual(401)
  })

  it('a page of another site cannot ask for it', async () => {
    const headers = { accept: BROWSER, authorization: basic('x', TOKEN), origin: 'https://evil.example' }
    expect((await fetch(`${guarded().operatorUrl}/`, { headers })).status).toBe(403)
  })

  it('the token reaches no log', () => {
    expect(guarded().logs()).not.toContain(TOKEN)
  })
})
