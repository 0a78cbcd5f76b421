import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { WAIT_MS } from './effort.ts'

export type { Browser, Page }

/** Chromium without a window, where it is installed: the same pages take about half the processor time. */
const HEADLESS = '/usr/bin/chromium-headless-shell'
export const CHROMIUM = process.env.CHROMIUM_PATH ?? (existsSync(HEADLESS) ? HEADLESS : '/usr/bin/chromium')
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1280, height: 800 }

/** One browser for the tests of a file. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
  })
  afterAll(() => browser?.close())
  return () => {
    if (!browser) throw new Error('the browser starts before the first test')
    return browser
  }
}

/** A reader of one test: a profile of their own, closed after the test, and what the browser complained about. */
export type Reader = { readonly context: BrowserContext; readonly page: Page }

/**
 * Opens a page whose every request has to go to `origin`, and in whose console nothing may appear, except what
 * Chromium itself says of a document that was answered with an error status.
 */
export async function openReader(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Reader> {
  const context = await browser.newContext({ viewport: PHONE, locale: 'fr-CI', ...options })
  const complaints: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) complaints.push(`asked for ${url}`)
  })
  context.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status')
    if (!isStatus) complaints.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => complaints.push(`error: ${error.error().message}`))
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  context.setDefaultTimeout(WAIT_MS)
  return { context, page: await context.newPage() }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = {
  id: string
  impact: string
  help: string
  nodes: { target: unknown; failureSummary: string }[]
}

/**
 * What axe-core finds on the page as it is now, serious and critical, one line for each element; with one rule
 * where a page has been through all of them and only its colours are new.
 */
export async function accessibilityViolations(page: Page, rule?: string): Promise<readonly string[]> {
  const options = { resultTypes: ['violations'], ...(rule !== undefined && { runOnly: [rule] }) }
  // An expression in the page's own world, not a script element: the page's policy stays in force.
  const violations = await page.evaluate<Violation[]>(
    `(async () => { ${AXE}; return (await axe.run(document, ${JSON.stringify(options)})).violations })()`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target}: ${failureSummary}`),
    )
}
