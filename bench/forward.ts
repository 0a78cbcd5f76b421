import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './clean-up.ts'
import { nginxCommand, nginxMissing } from './nginx.ts'
import { installPeers, notInstalled } from './players/install.ts'
import { freePort, type Subject, start } from './process.ts'
import { type ReportOptions, report, withSubjects } from './report.ts'
import type { Entrant, Standing } from './rounds.ts'
import { authorization, startGateway } from './servers.ts'

const PEERS = join(import.meta.dirname, 'peers')
/** Of the kernel's clock that processes are charged by. */
const TICKS_PER_SECOND = 100

/**
 * What forwarding costs: the whole pipeline against proxies that do nothing else, to one upstream in one run. The
 * upstream shares the core of the load generator, so that it takes the same from every proxy.
 */
export function benchForward(options: ReportOptions): Promise<void> {
  installPeers()
  const directory = temporaryDirectory()
  return withSubjects(async (keep) => {
    const node = (file: string, ...args: string[]) => [process.execPath, join(PEERS, file), ...args]
    const upstream = await keep(start({ name: 'upstream', command: node('upstream.js'), cores: '1' }))
    const bare = await keep(
      start({ name: 'bare @fastify/http-proxy', command: node('fastify-http-proxy.js', upstream.url) }),
    )
    const gateway = await keep(startGateway('Sandgate, forwarding', settingsFor(upstream.url)))
    const proxies = [bare, gateway]
    const absent: string[] = []
    const missing = notInstalled('http-proxy')
    if (missing !== undefined) absent.push(`http-proxy: ${missing}.`)
    else
      proxies.push(
        await keep(start({ name: 'bare http-proxy', command: node('node-http-proxy.js', upstream.url) })),
      )
    const noNginx = nginxMissing()
    if (noNginx !== undefined) absent.push(`nginx: ${noNginx}.`)
    else {
      const port = await freePort()
      const command = nginxCommand(directory.path, port, upstream.url)
      proxies.push(await keep(start({ name: 'nginx proxy_pass', command, port })))
    }
    const headers = { Authorization: await authorization(gateway.url) }
    const direct = { ...upstream, name: 'no proxy', pause: () => {} }
    await compare(
      'GET /v1/credit/simulate',
      { path: '/v1/credit/simulate?amount=50011', headers },
      options,
      proxies,
      direct,
      bare,
    )
    await compare(
      'POST /v1/payments/fund, a fresh key each, its marker on the disk before it is sent',
      { path: '/v1/payments/fund', script: 'fund.lua', headers },
      options,
      proxies,
      direct,
      bare,
    )
    if (absent.length > 0) console.log(`Not measured: ${absent.join(' ')}\n`)
  }).finally(directory.remove)
}

const settingsFor = (url: string) => `
log: { format: off }
decisions: { from: upstream }
upstream: { url: "${url}", connections: 128 }
`

async function compare(
  what: string,
  load: Entrant['load'],
  options: ReportOptions,
  proxies: readonly Subject[],
  direct: Subject,
  base: Subject,
): Promise<void> {
  const used = new Map<string, { seconds: number; requests: number }>()
  const entrants = [...proxies, direct].map(
    (subject): Entrant => ({
      ...{ subject, load },
      around: async (run) => {
        const before = cpuSeconds(subject.pid)
        const startedAt = performance.now()
        const measured = await run()
        const sum = used.get(subject.name) ?? { seconds: 0, requests: 0 }
        sum.seconds += cpuSeconds(subject.pid) - before
        sum.requests += measured.requestsPerSecond * ((performance.now() - startedAt) / 1000)
        used.set(subject.name, sum)
        return measured
      },
    }),
  )
  const standings = await report(
    `Forwarded ${what}; the same request through every proxy`,
    entrants,
    base,
    options,
  )
  console.log(`${costs(standings, used, direct.name)}\n`)
}

/** Added latency, and the processor's time for a request, over all rounds. */
function costs(
  standings: readonly Standing[],
  used: ReadonlyMap<string, { readonly seconds: number; readonly requests: number }>,
  direct: string,
): string {
  const lines = [
    '| Proxy | Connections | Added p50 ms | Added p99 ms | CPU per request |',
    '|---|--:|--:|--:|--:|',
  ]
  for (const { name, connections, median } of standings) {
    const without = standings.find((each) => each.name === direct && each.connections === connections)?.median
    if (!without || name === direct) continue
    const { seconds = 0, requests = 1 } = used.get(name) ?? {}
    const added = [median.p50Ms - without.p50Ms, median.p99Ms - without.p99Ms].map((ms) => ms.toFixed(2))
    lines.push(
      `| ${name} | ${connections} | ${added.join(' | ')} | ${((seconds / requests) * 1e6).toFixed(0)} µs |`,
    )
  }
  return lines.join('\n')
}

/** What a process has been charged so far, in user and system mode. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
