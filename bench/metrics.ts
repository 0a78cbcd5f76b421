import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { freePort } from './process.ts'
import { report, withSubjects } from './report.ts'
import { median, type RoundOptions } from './rounds.ts'
import { authorization, startCounting, startGateway } from './servers.ts'

const PARTNERS = [1, 100, 1000]
const SCRAPES = 11
/** How often somebody asks for /livez while a scrape is written. */
const PROBE_MS = 2

/** What counting costs the requests, and what a scrape costs. */
export async function benchMetrics(options: RoundOptions): Promise<void> {
  await hotPath(options)
  await scrapes()
}

/** Throughput with and without metrics and usage history, in one run; everything else is the same. */
function hotPath(options: RoundOptions): Promise<void> {
  return withSubjects(async (keep) => {
    const without = await keep(startCounting('without', 'uncounted'))
    const counting = await keep(startCounting('metrics and history', 'counted'))
    const both = [without, counting]
    const headers = await Promise.all(
      both.map(async ({ url }) => ({ Authorization: await authorization(url) })),
    )
    const entrants = (load: { path: string; script?: string }) =>
      both.map((subject, i) => ({ subject, load: { ...load, headers: headers[i] ?? {} } }))
    const title = 'with and without metrics and usage history'
    const connections = [32]
    const get = entrants({ path: '/v1/credit/simulate?amount=50011' })
    await report(`GET /v1/credit/simulate, ${title}`, get, without, { ...options, connections })
    const post = entrants({ path: '/v1/payments/fund', script: 'fund.lua' })
    await report(`POST /v1/payments/fund, ${title}`, post, without, { ...options, connections })
  })
}

/** A scrape of the product's own command with so many partners, each of which has been met. */
async function scrapes(): Promise<void> {
  const rows = [
    '| Partners | Series | Size kB | gzip kB | Scrape ms | Longest wait for /livez ms |',
    '|--:|--:|--:|--:|--:|--:|',
  ]
  for (const count of PARTNERS) rows.push(await scrape(count))
  console.log(`### A scrape of /metrics, medians of ${SCRAPES}\n\n${rows.join('\n')}\n`)
}

async function scrape(count: number): Promise<string> {
  const operatorPort = await freePort()
  const gateway = await startGateway(`${count} partners`, settings(count), { operatorPort })
  try {
    for (let n = 0; n < count; n++) await meet(gateway.url, n)
    const metrics = `http://127.0.0.1:${operatorPort}`
    const [times, waits]: [number[], number[]] = [[], []]
    let text = ''
    for (let n = 0; n < SCRAPES; n++) {
      const probing = longestWait(metrics)
      const startedAt = performance.now()
      text = await (await fetch(`${metrics}/metrics`)).text()
      times.push(performance.now() - startedAt)
      waits.push(await probing())
    }
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length
    const kilobytes = (bytes: number) => (bytes / 1000).toFixed(0)
    const cells = [
      count,
      series,
      kilobytes(text.length),
      kilobytes(gzipSync(text).length),
      median(times).toFixed(0),
      median(waits).toFixed(1),
    ]
    return `| ${cells.join(' | ')} |`
  } finally {
    await gateway.stop()
  }
}

const secretOf = (n: number) => `sk_sandbox_benchmark_key_of_partner_${String(n).padStart(6, '0')}`

function settings(count: number): string {
  const partners = Array.from({ length: count }, (_, n) => {
    const sha256 = createHash('sha256').update(secretOf(n)).digest('hex')
    return `  - { id: p${n}, name: P, tenant: tn_sandbox_p${n}, scopes: ['payments:write'], keys: [{ id: key_p${n}, sha256: ${sha256} }] }\n`
  })
  return `${partners.join('')}log: { format: off }\nserver: { maxLoopDelayMs: 60000 }\n`
}

/** A token exchange is enough to be met. */
async function meet(url: string, n: number): Promise<void> {
  const body = new URLSearchParams({ client_id: `key_p${n}`, client_secret: secretOf(n) })
  const response = await fetch(`${url}/auth/token`, { method: 'POST', body })
  if (response.status !== 200) throw new Error(`no token: ${response.status} ${await response.text()}`)
}

/** Asks for /livez again and again; ends with the longest time that an answer took. */
function longestWait(url: string): () => Promise<number> {
  let longest = 0
  let running = true
  const probing = (async () => {
    while (running) {
      const startedAt = performance.now()
      await (await fetch(`${url}/livez`)).text()
      longest = Math.max(longest, performance.now() - startedAt)
      await new Promise((next) => setTimeout(next, PROBE_MS))
    }
  })()
  return async () => {
    running = false
    await probing
    return longest
  }
}
