import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DESKTOP, openReader, type Page, PHONE, useBrowser } from '../support/browser.ts'
import { partner, type TestPartner } from '../support/partners.ts'
import { type PortalGateway, usePortalGateway } from './portal-gateway.ts'

const DIRECTORY = process.env.SCREENSHOTS_TO ?? join(import.meta.dirname, '../../docs/images')

/** What the guides show. WHOLE_PAGES=1 makes every state in every view instead, in full length, to look at. */
const KEPT = new Set([
  'portal-usage-desktop-en-light',
  'portal-usage-phone-fr-light',
  'portal-storm-phone-en-dark',
  'portal-capped-desktop-fr-dark',
  'portal-sign-in-phone-fr-light',
  'portal-start-desktop-en-light',
  'operator-overview-desktop-en-light',
])
const WHOLE_PAGES = process.env.WHOLE_PAGES === '1'

const NAMES: Readonly<Record<string, string>> = {
  baobab: 'Baobab Finance',
  cauri: 'Cauri Mobile Money',
  djenne: 'Djenné Crédit',
  acacia: 'Acacia Pay',
}

/** Not a test: makes the pictures of the guides anew, with UPDATE_SCREENSHOTS=1. */
describe.runIf(process.env.UPDATE_SCREENSHOTS === '1')('the pictures of the portal', () => {
  const browser = useBrowser()
  const partners = Object.keys(NAMES).map((id) => partner(id))
  const [busy = partner(''), stormy = partner(''), capped = partner(''), empty = partner('')] = partners
  const gateway = usePortalGateway({
    partners,
    now: Date.UTC(2026, 0, 13, 18, 30),
    change: (config) => ({
      ...config,
      partners: config.partners.map((each) => ({ ...each, name: NAMES[each.id] ?? each.id })),
    }),
  })
  mkdirSync(DIRECTORY, { recursive: true })

  it('have two days behind them', async () => {
    await twoDays(gateway(), busy)
    for (let i = 0; i < 4; i++) await gateway().pay(capped, 12_500_000)
    await gateway().pay(capped, 1077)
    for (let i = 0; i < 230; i++) await gateway().pay(stormy, 1077)
    await new Promise((resolve) => setTimeout(resolve, 2000))
  })

  const VIEWS = [
    { name: 'phone-fr-light', viewport: PHONE, locale: 'fr-CI', colorScheme: 'light' },
    { name: 'phone-en-dark', viewport: PHONE, locale: 'en-GH', colorScheme: 'dark' },
    { name: 'desktop-fr-dark', viewport: DESKTOP, locale: 'fr-SN', colorScheme: 'dark' },
    { name: 'desktop-en-light', viewport: DESKTOP, locale: 'en-NG', colorScheme: 'light' },
  ] as const

  it.each(VIEWS)('in the view $name', async ({ name, ...view }) => {
    for (const [state, one] of Object.entries({ usage: busy, storm: stormy, capped, empty })) {
      const { page } = await openReader(browser(), gateway().url, view)
      await page.goto(`${gateway().url}/portal/usage`)
      if (state === 'usage') await shoot(page, `portal-sign-in-${name}`)
      await page.fill('#keyId', one.keyId)
      await page.fill('#key', one.secret)
      await page.click('form.fields button')
      await page.waitForURL(/\/portal\/usage/)
      await shoot(page, `portal-${state}-${name}`)
    }
    const { page } = await openReader(browser(), gateway().url, view)
    await page.goto(`${gateway().url}/`)
    await shoot(page, `portal-start-${name}`)
    const operator = await openReader(browser(), gateway().operatorUrl, view)
    await operator.page.goto(`${gateway().operatorUrl}/`)
    await shoot(operator.page, `operator-overview-${name}`)
  })

  async function shoot(page: Page, name: string): Promise<void> {
    const path = join(DIRECTORY, `${name}.png`)
    if (!WHOLE_PAGES && !KEPT.has(name)) return
    // The first one shows the charts too.
    const isTall = name.startsWith('portal-usage-desktop')
    const clip = { x: 0, y: 0, width: DESKTOP.width, height: 1290 }
    await page.screenshot({
      path,
      fullPage: WHOLE_PAGES || isTall,
      ...(isTall && !WHOLE_PAGES && { clip }),
    })
    if (!WHOLE_PAGES) expect(statSync(path).size).toBeLessThan(200_000)
  }
})

/** Busy by day and quiet at night, with what goes wrong in an ordinary integration. */
async function twoDays(gateway: PortalGateway, one: TestPartner): Promise<void> {
  for (let hour = 0; hour < 44; hour++) {
    gateway.clock.advance(3_600_000)
    const authorization = `Bearer ${await gateway.token(one)}`
    const ask = (path: string) => fetch(gateway.url + path, { headers: { authorization } })
    const ofDay = new Date(gateway.clock.now()).getUTCHours()
    if (ofDay < 6 || ofDay > 21) continue
    for (let i = 0; i < 4 + ((hour * 7) % 11); i++) await gateway.pay(one, 100_077 + i * 10_000)
    for (let i = 0; i < hour % 5; i++) await gateway.pay(one, 1000, 'failed')
    for (let i = 0; i < hour % 4; i++) await ask('/v1/accounts')
    if (hour % 9 === 0) await ask('/v1/accounts/acc_unknown')
    if (hour % 13 === 0) await ask('/v1/score?customerRef=CUS-NOBODY')
    if (hour % 17 === 0) await ask('/v1/credit/simulate?amount=many')
  }
}
