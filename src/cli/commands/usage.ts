import type { WholeUsage } from '../../operations/usage-view.ts'
import type { Run } from '../command.ts'
import { callOperator } from '../operator-client.ts'
import { partnerConfig } from '../partner-config.ts'
import { usageText } from '../usage-text.ts'

/** Shows on a terminal what the portal shows a partner. */
export const run: Run = async ({ options }, io) => {
  const wrong = (message: string) => {
    io.err(`sandgate usage: ${message}\n`)
    return 'usage' as const
  }
  const loaded = partnerConfig('usage', options.config, io)
  if (!loaded.ok) return loaded.exit
  const { partners } = loaded.config
  const ids = partners.map(({ id }) => id).join(', ')
  const partner = options.partner ?? (partners.length === 1 ? partners[0]?.id : undefined)
  if (partner === undefined) return wrong(`say whose with --partner ID; there are ${ids}`)
  const history = options.history ?? 'hours'
  if (history !== 'hours' && history !== 'days') return wrong(`--history is hours or days, not ${history}`)
  const path = `/usage/${encodeURIComponent(String(partner))}?history=${history}`
  const answer = await callOperator(loaded.config, options.operator, { method: 'GET', path })
  if (answer.kind !== 'answered') {
    io.err(`sandgate usage: ${answer.message}\n`)
    return 'failure'
  }
  const usage = answer.body as WholeUsage
  io.out(options.json ? `${JSON.stringify(usage, null, 2)}\n` : usageText(usage, history))
  return 'ok'
}
