import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
  type WebError,
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
  afterAll(async () => {
    empty.length = 0
    await browser?.close()
  })
  return () => {
    if (!browser) throw new Error('the browser starts before the first test')
    return browser
  }
}

export type View = {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly locale?: string
  readonly colorScheme?: 'light' | 'dark'
  readonly javaScriptEnabled?: boolean
  /** Whether the test moves the time of the page. */
  readonly hasClock?: boolean
}

/** A reader of one test: a profile of their own, empty, and what the browser complained about. */
export type Reader = { readonly context: BrowserContext; readonly page: Page }

/**
 * Opens a page whose every request has to go to `origin`, and in whose console nothing may appear, except what
 * Chromium itself says of a document that was answered with an error status.
 */
export async function openReader(browser: Browser, origin: string, view: View = {}): Promise<Reader> {
  const seat = await takeSeat(browser, view)
  const { context, page } = seat
  const complaints: string[] = []
  const onRequest = (request: Request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) complaints.push(`asked for ${url}`)
  }
  const onConsole = (message: ConsoleMessage) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status')
    if (!isStatus) complaints.push(`console: ${message.text()}`)
  }
  const onError = (error: WebError) => complaints.push(`error: ${error.error().message}`)
  context.on('request', onRequest)
  context.on('console', onConsole)
  context.on('weberror', onError)
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await context.close()
    else {
      // What the page has said so far has arrived when it answers.
      await page.evaluate('1')
      context.off('request', onRequest)
      context.off('console', onConsole)
      context.off('weberror', onError)
      await leaveSeat(seat, origin)
    }
    expect(complaints).toEqual([])
  })
  return { context, page }
}

/**
 * A page that many readers use one after the other: a new one is a new process, which compiles every script anew. What
 * installs a clock stays in its context.
 */
type Seat = Reader & { readonly session: CDPSession; readonly hasClock: boolean }

const empty: Seat[] = []

async function takeSeat(browser: Browser, view: View): Promise<Seat> {
  const {
    viewport = PHONE,
    locale = 'fr-CI',
    colorScheme = 'light',
    javaScriptEnabled = true,
    hasClock = false,
  } = view
  const free = empty.findIndex((seat) => seat.hasClock === hasClock)
  const seat = empty.splice(free, free < 0 ? 0 : 1)[0] ?? (await addSeat(browser, hasClock))
  const { page, session } = seat
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  await session.send('Emulation.setUserAgentOverride', { userAgent: '', acceptLanguage: locale })
  await session.send('Emulation.setLocaleOverride', { locale })
  await session.send('Emulation.setScriptExecutionDisabled', { value: !javaScriptEnabled })
  if (hasClock) {
    // Of whoever sat there before, it may be anywhere and stand still.
    await page.clock.install()
    await page.clock.resume()
  }
  return seat
}

async function addSeat(browser: Browser, hasClock: boolean): Promise<Seat> {
  const context = await browser.newContext()
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  return { context, page, session: await context.newCDPSession(page), hasClock }
}

/** As nobody had been there: no document, no cookie, nothing stored, no routes, no other page. */
async function leaveSeat(seat: Seat, origin: string): Promise<void> {
  const { context, page, session } = seat
  page.removeAllListeners('request')
  await Promise.all(context.pages().map((each) => each !== page && each.close()))
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('about:blank')
  await context.clearCookies()
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  empty.push(seat)
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = {
  id: string
  impact: string
  help: string
  nodes: { target: unknown; failureSummary: string }[]
}

/**
 * What axe-core finds on the page as it is now, or in the part of it that a selector names, serious and critical, one
 * line for each element; with one rule where a page has been through all of them and only its colours are new.
 */
export async function accessibilityViolations(
  page: Page,
  { rule, within }: { readonly rule?: string | undefined; readonly within?: readonly string[] } = {},
): Promise<readonly string[]> {
  // Expressions in the page's own world, not a script element: the page's policy stays in force.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(`${AXE}; void 0`)
  const violations = await page.evaluate<Violation[]>(
    `(${findViolations})(${JSON.stringify({ rule, within })})`,
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target}: ${failureSummary}`),
  )
}

/**
 * In the page. The rules whose findings are serious or critical, which is said of a rule and not of what it has found,
 * and no selectors of what is fine, which are made again where something is not: half of the work of a run.
 */
const findViolations = `async ({ rule, within }) => {
  const isGrave = ({ impact }) => impact === 'serious' || impact === 'critical'
  const others = axe._audit.rules.filter((each) => !isGrave(each))
  if (others.length > 40) throw new Error('axe-core says no more how grave its rules are')
  const rules = Object.fromEntries(others.map(({ id }) => [id, { enabled: false }]))
  const where = within ? { include: [{ fromShadowDom: within }] } : document
  const find = async (selectors) => {
    const options = { resultTypes: ['violations'], selectors, ...(rule ? { runOnly: [rule] } : { rules }) }
    const { violations } = await axe.run(where, options)
    return violations.filter(isGrave)
  }
  return (await find(false)).length > 0 ? await find(true) : []
}`
