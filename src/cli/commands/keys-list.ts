import { isDemoKey } from '../../config/sandbox-keys.ts'
import type { Run } from '../command.ts'
import { partnerConfig } from '../partner-config.ts'
import { columns } from '../table.ts'

/** Lists the sandbox keys of every partner, or of one. */
export const run: Run = async ({ options }, io) => {
  const loaded = partnerConfig('keys list', options.config, io)
  if (!loaded.ok) return loaded.exit
  const { partners } = loaded.config
  const chosen =
    options.partner === undefined ? partners : partners.filter(({ id }) => id === options.partner)
  if (chosen.length === 0) {
    io.err(
      `sandgate keys list: there is no partner ${options.partner}; there are ${partners.map(({ id }) => id).join(', ')}\n`,
    )
    return 'usage'
  }
  const rows = chosen.flatMap((partner) =>
    partner.keys.map((key) => [
      key.id,
      partner.id,
      key.revoked ? 'revoked' : isDemoKey(key.sha256) ? 'active (published demo key)' : 'active',
      (key.scopes ?? partner.scopes).join(' '),
    ]),
  )
  io.out(columns(['KEY', 'PARTNER', 'STATE', 'SCOPES'], rows))
  return 'ok'
}
