import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { addressOf } from '../src/portal/usage/addresses.ts'
import { usageContent } from '../src/portal/usage/page.ts'
import { sceneOf } from '../src/portal/usage/scene.ts'
import type { PortalView } from '../src/portal/usage/view.ts'
import { largestView, NOW } from '../test/portal/usage-fixtures.ts'
import { median } from './rounds.ts'

const LOADS = 15

/** How heavy the usage page is, how long the server makes it, and how long a browser takes to show it. */
export async function benchPortal(): Promise<void> {
  const largest = largestView()
  const nothing = { ...largest.usage, history: [], refusals: [] }
  const views: Readonly<Record<string, PortalView>> = {
    'an empty partner': { ...largest, usage: nothing },
    'the most there can be': largest,
  }
  console.log(
    '| Usage page | kB | made in ms | first paint ms | loaded ms |\n| --- | --: | --: | --: | --: |',
  )
  for (const [name, view] of Object.entries(views)) {
    const make = () => usageContent(sceneOf(addressOf({ query: 'lang=fr', headers: {} }), NOW), view, 'token')
    const made = Array.from({ length: 200 }, () => timed(make))
    const shown = await inBrowser(make)
    const kilobytes = (Buffer.byteLength(String(make().body)) / 1000).toFixed(1)
    const figures = [
      median(made),
      median(shown.map(({ paint }) => paint)),
      median(shown.map(({ load }) => load)),
    ]
    console.log(`| ${name} | ${kilobytes} | ${figures.map((ms) => ms.toFixed(1)).join(' | ')} |`)
  }
  console.log(
    `\nMedians of 200 renderings and ${LOADS} loads in Chromium at 390 by 844, one after the other.\n`,
  )
}

function timed(work: () => unknown): number {
  const before = performance.now()
  work()
  return performance.now() - before
}

async function inBrowser(make: () => ReturnType<typeof usageContent>) {
  const server = createServer((_request, response) => {
    const { headers, body } = make()
    response.writeHead(200, headers).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    const times: { paint: number; load: number }[] = []
    for (let i = 0; i < LOADS; i++) {
      await page.goto(`http://127.0.0.1:${port}/`)
      times.push(await page.evaluate<{ paint: number; load: number }>(MEASURE))
    }
    return times
  } finally {
    await browser.close()
    server.close()
  }
}

/** In the page: what the browser itself has measured since the navigation began. */
const MEASURE = `new Promise((resolve) => {
  const look = () => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0]
    const [navigation] = performance.getEntriesByType('navigation')
    if (!paint || navigation.loadEventEnd === 0) return setTimeout(look, 10)
    resolve({ paint: paint.startTime, load: navigation.loadEventEnd })
  }
  look()
})`
