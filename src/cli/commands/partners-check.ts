import { effectiveCaps } from '../../config/limits.ts'
import { displayName } from '../../config/yaml-file.ts'
import type { Run } from '../command.ts'
import { partnerConfig } from '../partner-config.ts'
import { columns } from '../table.ts'

/** Checks the configuration with its partners, and shows what each partner comes to. */
export const run: Run = async ({ args }, io) => {
  const loaded = partnerConfig('partners check', args[0], io)
  if (!loaded.ok) return loaded.exit
  const { config, partnersFile } = loaded
  const rows = config.partners.map((partner) => {
    const active = partner.keys.filter(({ revoked }) => !revoked).length
    const own = effectiveCaps(config, partner).filter((cap) => partner.caps?.includes(cap)).length
    const limits = Object.keys(partner.rateLimits ?? {}).length
    return [
      partner.id,
      partner.tenant,
      `${active} of ${partner.keys.length}`,
      String(own),
      String(limits),
      partner.name,
    ]
  })
  io.out(columns(['PARTNER', 'TENANT', 'ACTIVE KEYS', 'OWN CAPS', 'OWN LIMITS', 'NAME'], rows))
  for (const { id, keys } of config.partners) {
    if (keys.every(({ revoked }) => revoked))
      io.err(`warning: ${id} has no active key; it cannot get a token\n`)
  }
  io.out(`${displayName(partnersFile)}: valid\n`)
  return 'ok'
}
