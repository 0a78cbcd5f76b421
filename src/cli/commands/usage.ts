import type { WholeUsage } from '../../operations/usage-view.ts'
import type { Overview } from '../../portal/overview/facts.ts'
import type { Io, Run } from '../command.ts'
import { configFile, readConfig } from '../config-file.ts'
import type { Exit } from '../exit-codes.ts'
import { callEither, type OperatorAnswer } from '../operator-client.ts'
import { partnersText, usageText } from '../usage-text.ts'

/** Shows on a terminal what the portal shows a partner; of several partners, how they stand. */
export const run: Run = async ({ options }, io) => {
  const loaded = readConfig(configFile(options.config), io)
  if (!loaded) return 'configuration'
  const history = options.history ?? 'hours'
  if (history !== 'hours' && history !== 'days') {
    io.err(`sandgate usage: --history is hours or days, not ${history}\n`)
    return 'usage'
  }
  const { partners } = loaded.config
  const partner = options.partner ?? (partners.length === 1 ? partners[0]?.id : undefined)
  const ask = (path: string) => callEither(loaded.config, options.operator, { method: 'GET', path })
  if (partner === undefined) {
    return show(io, await ask('/'), options.json, (body) => partnersText(body as Overview))
  }
  const path = `/usage/${encodeURIComponent(String(partner))}?history=${history}`
  return show(io, await ask(path), options.json, (body) => usageText(body as WholeUsage, history))
}

function show(
  io: Io,
  answer: OperatorAnswer,
  json: string | true | undefined,
  textOf: (body: unknown) => string,
): Exit {
  if (answer.kind !== 'answered') {
    io.err(`sandgate usage: ${answer.message}\n`)
    return 'failure'
  }
  io.out(json ? `${JSON.stringify(answer.body, null, 2)}\n` : textOf(answer.body))
  return 'ok'
}
