import { describe, expect, it } from 'vitest'
import {
  accessibilityViolations,
  DESKTOP,
  openReader,
  type Page,
  PHONE,
  useBrowser,
} from '../support/browser.ts'
import { partner, type TestPartner } from '../support/partners.ts'
import { usePortalGateway } from './portal-gateway.ts'

const browser = useBrowser()
const partners = Array.from({ length: 12 }, (_, index) =>
  partner(`p${index + 1}`, { rateLimits: { 'payments.fund': 4 } }),
)
const gateway = usePortalGateway({ partners })

async function signIn(page: Page, { keyId, secret }: TestPartner): Promise<void> {
  await page.goto(`${gateway().url}/portal/usage`)
  await page.fill('#keyId', keyId)
  await page.fill('#key', secret)
  await page.click('form.fields button')
  await page.waitForURL(/\/portal\/usage/)
}

/** What the page says is left of a cap or group. */
const left = (page: Page, card: string, name: string) => page.locator(`.${card} [data-name="${name}"] strong`)

/** Waits until what the partner did is kept, a second later: a page that loads anew until it shows it costs far more. */
async function kept({ id }: TestPartner, part: 'history' | 'refusals'): Promise<void> {
  const count = async () => {
    const answer = await fetch(`${gateway().operatorUrl}/usage/${id}`)
    return ((await answer.json()) as Record<typeof part, readonly unknown[]>)[part].length
  }
  await expect.poll(count, { interval: 100 }).toBeGreaterThan(0)
}

/** The page asks for itself: its timers are moved on, not waited for. */
const someTimeLater = (page: Page) => page.clock.runFor(11_000)

describe('a partner in a browser', () => {
  it('signs in, sees a cap shrink after a payment and a 429 appear, and signs out', async () => {
    const one = gateway().nextPartner()
    const { page } = await openReader(browser(), gateway().url, {
      locale: 'en-GH',
      viewport: DESKTOP,
      hasClock: true,
    })
    await signIn(page, one)
    await expect.poll(() => page.locator('h1').textContent()).toBe(`Partner ${one.id}`)
    expect(await left(page, 'caps', 'payments.fund').textContent()).toBe('50,000,000\u00a0XOF left')
    expect(await page.locator('.verdict').textContent()).toContain('Nothing has been used yet')

    expect((await gateway().pay(one, 5_000_077)).status).toBe(200)
    await someTimeLater(page)
    await expect
      .poll(() => left(page, 'caps', 'payments.fund').textContent())
      .toBe('44,999,923\u00a0XOF left')
    await expect.poll(() => left(page, 'limits', 'payments.fund').textContent()).toBe('3 left')

    for (let i = 0; i < 3; i++) await gateway().pay(one, 1077)
    const refused = await gateway().pay(one, 1077)
    expect(refused.status).toBe(429)
    const id = refused.headers.get('x-request-id') ?? ''
    await kept(one, 'refusals')
    await someTimeLater(page)
    // Not the text of the first one: what is not there yet would be waited for on the page's clock.
    await expect.poll(async () => (await page.locator('.runs').allTextContents()).join()).toContain(id)
    expect(await page.locator('.runs .run-head').first().textContent()).toContain('RATE_LIMITED 429')
    expect(await left(page, 'limits', 'payments.fund').textContent()).toBe('Used up')
    expect(await page.locator('.verdict').textContent()).toContain('Rate limit reached: Funding')

    await page.fill('#request', id)
    await page.click('.search button')
    await page.waitForURL(/request=req_/)
    expect(await page.locator('.found').textContent()).toContain('RATE_LIMITED')

    await page.click('.quiet')
    await page.waitForURL(/\/portal\/sign-in/)
    expect(await page.locator('[role=status]').textContent()).toContain('You are signed out')
    await page.goto(`${gateway().url}/portal/usage`)
    expect(page.url()).toContain('/portal/sign-in')
  })

  it('is told at sign-in what is wrong, keeps the key id, and gets in with the right key', async () => {
    const { keyId, secret } = gateway().nextPartner()
    const { page } = await openReader(browser(), gateway().url, { locale: 'fr-CI' })
    await page.goto(`${gateway().url}/portal/usage`)
    await page.fill('#keyId', keyId)
    await page.fill('#key', 'sk_sandbox_wrong')
    await page.click('form.fields button')
    expect(await page.locator('#problems').textContent()).toContain('ne vont pas ensemble')
    expect(await page.inputValue('#keyId')).toBe(keyId)
    expect(await page.inputValue('#key')).toBe('')
    await page.fill('#key', secret)
    await page.click('form.fields button')
    await page.waitForURL(/\/portal\/usage/)
    expect(await page.locator('html').getAttribute('lang')).toBe('fr')
  })

  it('whose session ends elsewhere is led to the sign-in page by itself', async () => {
    const one = gateway().nextPartner()
    const { page, context } = await openReader(browser(), gateway().url, { locale: 'en-GH', hasClock: true })
    await signIn(page, one)
    await context.clearCookies()
    await someTimeLater(page)
    await page.waitForURL(/\/portal\/sign-in/)
  })

  it('never sees another partner’s page with the address or the form of it', async () => {
    const [one, other] = [gateway().nextPartner(), gateway().nextPartner()]
    const reader = await openReader(browser(), gateway().url, { locale: 'en-GH' })
    await signIn(reader.page, one)
    const stranger = await openReader(browser(), gateway().url, { locale: 'en-GH' })
    await signIn(stranger.page, other)
    await stranger.page.goto(reader.page.url())
    expect(await stranger.page.locator('h1').textContent()).toBe(`Partner ${other.id}`)
    expect(await stranger.page.content()).not.toContain(one.tenant)
  })

  it('keeps what is open and what is being typed while the page refreshes itself', async () => {
    const one = gateway().nextPartner()
    await gateway().pay(one, 1077)
    const { page } = await openReader(browser(), gateway().url, { locale: 'en-GH', hasClock: true })
    await kept(one, 'history')
    await signIn(page, one)
    expect(await page.locator('#table').count()).toBe(1)
    await page.click('#table summary')
    await page.fill('#request', 'req_half')
    await gateway().pay(one, 2077)
    await someTimeLater(page)
    await expect.poll(() => left(page, 'caps', 'payments.fund').textContent()).toContain('49,996,846')
    expect(await page.locator('#table').getAttribute('open')).not.toBeNull()
    expect(await page.inputValue('#request')).toBe('req_half')
  })

  it('says that the figures are old when the gateway does not answer, and goes on asking', async () => {
    const one = gateway().nextPartner()
    const { page, context } = await openReader(browser(), gateway().url, { locale: 'en-GH', hasClock: true })
    await signIn(page, one)
    await context.route('**/portal/usage', (route) => route.fulfill({ status: 503, body: '' }))
    await someTimeLater(page)
    await expect.poll(() => page.locator('.stale').textContent()).toContain('these figures are old')
    await context.unroute('**/portal/usage')
    await someTimeLater(page)
    await expect.poll(() => page.locator('.stale').textContent()).toBe('')
  })

  it('has a whole page and a way to a newer one without JavaScript', async () => {
    const one = gateway().nextPartner()
    const options = { locale: 'en-GH', javaScriptEnabled: false }
    const { page } = await openReader(browser(), gateway().url, options)
    await signIn(page, one)
    await gateway().pay(one, 5_000_077)
    await page.click('.fresh a')
    expect(await left(page, 'caps', 'payments.fund').textContent()).toBe('44,999,923\u00a0XOF left')
    await page.click('.tabs a:not([aria-current])')
    expect(page.url()).toContain('history=days')
    await page.click('.quiet')
    expect(page.url()).toContain('/portal/sign-in')
  })
})

describe('every state of the page', () => {
  it.each([
    { name: 'a phone, French, light', viewport: PHONE, locale: 'fr-CI', colorScheme: 'light' },
    { name: 'a desk, English, dark', viewport: DESKTOP, locale: 'en-GH', colorScheme: 'dark' },
  ] as const)('is accessible and fits on $name', async ({ viewport, locale, colorScheme }) => {
    const one = gateway().nextPartner()
    const { page } = await openReader(browser(), gateway().url, { viewport, locale, colorScheme })
    const isFine = async () => {
      expect(await accessibilityViolations(page)).toEqual([])
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate<number>(overflow)).toBe(0)
    }
    await page.goto(`${gateway().url}/portal/sign-in`)
    await isFine()
    await signIn(page, one)
    await isFine()
    await gateway().pay(one, 50_000_000)
    for (let i = 0; i < 8; i++) await gateway().pay(one, 1077)
    await kept(one, 'refusals')
    await page.reload()
    expect(await page.locator('.run').count()).toBeGreaterThan(0)
    for (const details of await page.locator('summary').all()) await details.click()
    await isFine()
    await page.goto(`${gateway().url}/portal/usage?history=days&request=req_unknown`)
    await isFine()
  })
})
