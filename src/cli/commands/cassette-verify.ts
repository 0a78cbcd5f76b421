import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { loadSound } from '../../cassettes/file/load.ts'
import type { Cassette } from '../../cassettes/interaction.ts'
import { isTokenExchange } from '../../cassettes/matching/edge-answers.ts'
import { valuesOf } from '../../cassettes/message/values.ts'
import { breakingDrifts, formatReport, publicReport } from '../../cassettes/verify/report.ts'
import { TokenError } from '../../cassettes/verify/token.ts'
import { verifyCassette } from '../../cassettes/verify/verify.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import { baseUrl } from '../base-url.ts'
import type { Run } from '../command.ts'
import { listOf } from '../parse.ts'
import { terminalProgress } from '../progress.ts'
import { printableLines, reportingCassettes, wrongUsage } from '../reporting.ts'
import { createSend, SendError } from '../sandbox-client.ts'

/** Asks a live sandbox what was recorded, and says where its answers have moved away from the cassette. */
export const run: Run = (invocation, io) =>
  reportingCassettes(invocation, io, async () => {
    const { args, options } = invocation
    const [file] = args
    const wrong = (message: string) => wrongUsage(invocation, io, message)
    if (file === undefined) return wrong('name a cassette: sandgate cassette verify FILE --against URL')
    const base = baseUrl(options.against)
    if (base === undefined)
      return wrong('name the sandbox with --against URL, such as --against https://sandbox.example.com')
    const clientSecret = io.env.SANDGATE_CLIENT_SECRET
    if (!clientSecret) return wrong('set SANDGATE_CLIENT_SECRET to a sandbox key of the sandbox')
    const progress = terminalProgress()
    const cassette = loadSound(file, (count) => progress.at(`loading ${file}: ${count} entries`))
    progress.done()
    const clientId =
      typeof options['client-id'] === 'string' ? options['client-id'] : recordedClient(cassette)
    if (clientId === undefined)
      return wrong('name the client with --client-id ID; the cassette does not say which it was')
    try {
      const report = publicReport(
        await verifyCassette(cassette, {
          send: counted(createSend(base), (count) => progress.at(`asking ${base.host}: ${count} requests`)),
          credentials: { clientId, clientSecret },
          newKey: randomUUID,
          wait: (ms) => wait(ms),
          volatile: listOf(options.volatile),
          ...(typeof options.tenant === 'string' && { tenant: options.tenant }),
        }),
      )
      progress.done()
      const breaking = breakingDrifts(report)
      if (options.json === true)
        io.out(
          printableLines(`${JSON.stringify({ file, against: base.href, breaking, ...report }, null, 2)}\n`),
        )
      else io.out(printableLines(formatReport(report)))
      return breaking > 0 ? 'failure' : 'ok'
    } catch (cause) {
      progress.done()
      if (!(cause instanceof SendError || cause instanceof TokenError)) throw cause
      io.err(printableLines(`sandgate cassette verify: ${cause.message}\n`))
      return 'failure'
    }
  })

/** The same, telling how often it has been called. */
function counted<A extends readonly unknown[], R>(
  send: (...args: A) => R,
  tell: (count: number) => void,
): (...args: A) => R {
  let count = 0
  return (...args) => {
    tell(++count)
    return send(...args)
  }
}

/** A key id or a tenant is no secret and was recorded as it was sent. */
function recordedClient({ interactions }: Cassette): string | undefined {
  for (const interaction of interactions.filter(isTokenExchange)) {
    const id = valuesOf(interaction).get('request-body /client_id')
    if (id !== undefined && isPublicClientId(id)) return id
  }
  return undefined
}
