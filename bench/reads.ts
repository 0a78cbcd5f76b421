import { type ReportOptions, report, withSubjects } from './report.ts'
import { authorization, startGateway, startPeer } from './servers.ts'

/** What a read costs. The bare servers are sent the same request, its token included: every server parses it. */
export function benchReads(options: ReportOptions): Promise<void> {
  return withSubjects(async (keep) => {
    const node = await keep(startPeer('bare Node http', 'bare-node.js'))
    const fastify = await keep(startPeer('bare Fastify', 'bare-fastify.js'))
    const quiet = await keep(startGateway('Sandgate, log off', 'log: { format: off }\n'))
    const logging = await keep(startGateway('Sandgate, log on', 'log: { format: json }\n'))
    const path = '/v1/credit/simulate?amount=50011'
    const anybody = { Authorization: await authorization(quiet.url) }
    const known = { Authorization: await authorization(logging.url) }
    const entrants = [node, fastify, quiet, logging].map((subject) => ({
      subject,
      load: { path, headers: subject === logging ? known : anybody },
    }))
    await report(
      'GET /v1/credit/simulate, authenticated, whole pipeline; the same request to every server',
      entrants,
      fastify,
      options,
    )
  })
}
