import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEMO_KEY } from '../../src/config/sandbox-keys.ts'
import { DESKTOP, openReader, PHONE, useBrowser } from '../support/browser.ts'
import { startGateway } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'

const DIRECTORY = process.env.SCREENSHOTS_TO ?? join(import.meta.dirname, '../../docs/images')

const VIEWS = [
  { name: 'desktop-en-light', viewport: DESKTOP, locale: 'en-NG', colorScheme: 'light' },
  { name: 'phone-fr-dark', viewport: PHONE, locale: 'fr-CI', colorScheme: 'dark' },
] as const

/** Not a test: makes the pictures of the reference anew, with UPDATE_SCREENSHOTS=1. */
describe.runIf(process.env.UPDATE_SCREENSHOTS === '1')('the pictures of the reference', () => {
  const browser = useBrowser()

  it.each(VIEWS)('$name', async ({ name, ...view }) => {
    const demo = partner('demo', { keyId: 'key_demo', secret: DEMO_KEY })
    const gateway = await startGateway({ partners: [demo] })
    const { page } = await openReader(browser(), gateway.url, view)
    const shoot = async (what: string) => {
      const path = join(DIRECTORY, `${what}-${name}.png`)
      await page.screenshot({ path, fullPage: true })
      expect(statSync(path).size).toBeLessThan(320_000)
    }
    await page.goto(`${gateway.url}/docs`)
    await page.getByRole('button', { name: 'TRY', exact: true }).click()
    await page.getByText(/"pay_/).first().waitFor()
    await page.evaluate('scrollTo(0, 0)')
    await shoot('docs')
    await page.goto(`${gateway.url}/docs/errors/PARTNER_LIMIT_EXCEEDED`)
    await shoot('error-page')
    await gateway.stop()
  })
})
