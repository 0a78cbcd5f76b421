import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Browser, DESKTOP, openReader, type Page, PHONE, useBrowser } from '../support/browser.ts'
import { answerForm } from './answer-form.ts'
import { APPROVED_PHONE, REJECTED_PHONE, useWidgetGateway } from './widget-gateway.ts'

const DIRECTORY = process.env.SCREENSHOTS_TO ?? join(import.meta.dirname, '../../docs/images')

/** What the guides show. WHOLE_PAGES=1 makes every state in every view instead, in full length, to look at. */
const KEPT = new Set([
  'widget-form-phone-fr-light',
  'widget-form-phone-en-dark',
  'widget-form-desktop-fr-dark',
  'widget-form-desktop-en-light',
  'widget-errors-phone-fr-light',
  'widget-errors-desktop-en-light',
  'widget-approved-phone-fr-light',
  'widget-approved-desktop-en-light',
  'widget-rejected-phone-en-dark',
  'widget-expired-phone-fr-light',
])
const WHOLE_PAGES = process.env.WHOLE_PAGES === '1'

/** Not a test: makes the pictures of the guides anew, with UPDATE_SCREENSHOTS=1. */
describe.runIf(process.env.UPDATE_SCREENSHOTS === '1')('the pictures of the guides', () => {
  const browser = useBrowser()
  const gateway = useWidgetGateway()
  mkdirSync(DIRECTORY, { recursive: true })

  const VIEWS = [
    { name: 'phone-fr-light', viewport: PHONE, locale: 'fr-CI', colorScheme: 'light' },
    { name: 'phone-en-dark', viewport: PHONE, locale: 'en-GH', colorScheme: 'dark' },
    { name: 'desktop-fr-dark', viewport: DESKTOP, locale: 'fr-SN', colorScheme: 'dark' },
    { name: 'desktop-en-light', viewport: DESKTOP, locale: 'en-NG', colorScheme: 'light' },
  ] as const
  const SESSION = { phone: APPROVED_PHONE, redirectUrl: 'https://partner.example.com/kyc/done' }

  it.each(VIEWS)('the widget, $name', async ({ name, ...view }) => {
    const { page } = await openReader(browser() as Browser, gateway().url, view)
    const { url } = await gateway().session(SESSION)
    await page.goto(url)
    await shoot(page, `widget-form-${name}`)
    await page.locator('label:has(#other)').click()
    await answerForm(page, { phone: '07 00', firstName: 'Awa', lastName: 'Koné', day: '31', month: '2' })
    await page.locator('button').click()
    await shoot(page, `widget-errors-${name}`)
    await answerForm(page, { phone: APPROVED_PHONE, year: '1990', month: '3', country: 'CI' })
    await page.locator('button').click()
    await shoot(page, `widget-approved-${name}`)
    await page.goto((await gateway().session({ ...SESSION, phone: REJECTED_PHONE })).url)
    await answerForm(page, {
      firstName: 'Awa',
      lastName: 'Koné',
      day: '12',
      month: '4',
      year: '1990',
      country: 'CI',
    })
    await page.locator('button').click()
    await shoot(page, `widget-rejected-${name}`)
    const late = await gateway().session(SESSION)
    await gateway().advance(900)
    await page.goto(late.url)
    await shoot(page, `widget-expired-${name}`)
  })

  async function shoot(page: Page, name: string): Promise<void> {
    const path = join(DIRECTORY, `${name}.png`)
    if (!WHOLE_PAGES && !KEPT.has(name)) return
    await page.screenshot({ path, fullPage: WHOLE_PAGES })
    if (!WHOLE_PAGES) expect(statSync(path).size).toBeLessThan(150_000)
  }
})
