import { fdatasyncMedianMs } from './disk.ts'
import { type ReportOptions, report, withSubjects } from './report.ts'
import { authorization, startGateway, startPeer } from './servers.ts'

/** What a durable write costs. The bare server is sent the same request, its token included. */
export function benchWrites(options: ReportOptions): Promise<void> {
  return withSubjects(async (keep) => {
    const fastify = await keep(startPeer('bare Fastify POST', 'bare-fastify.js'))
    const embedded = await keep(startGateway('Sandgate, embedded store', 'log: { format: off }\n'))
    const headers = { Authorization: await authorization(embedded.url) }
    const load = { path: '/v1/payments/fund', script: 'fund.lua', headers }
    await report(
      'POST /v1/payments/fund, a fresh key each, durable before the answer; the same request to both',
      [fastify, embedded].map((subject) => ({ subject, load })),
      fastify,
      options,
    )
    console.log(`fdatasync of 16 KiB on this disk: median ${fdatasyncMedianMs().toFixed(2)} ms.\n`)
  })
}
