import { revokeKey } from '../../config/partners-edit.ts'
import { displayName } from '../../config/yaml-file.ts'
import type { Run } from '../command.ts'
import { partnerConfig } from '../partner-config.ts'

/** Revokes a sandbox key in the partners' file. A running gateway refuses it and its tokens within a second. */
export const run: Run = async ({ options, args }, io) => {
  const loaded = partnerConfig('keys revoke', options.config, io)
  if (!loaded.ok) return loaded.exit
  const keys = loaded.config.partners.flatMap(({ keys }) => keys)
  const key = keys.find(({ id }) => id === args[0])
  if (!key) {
    const names = keys.map(({ id }) => id).join(', ')
    io.err(`sandgate keys revoke: name the key; there are ${names}\n`)
    return 'usage'
  }
  if (key.revoked) {
    io.err(`${key.id} is revoked already.\n`)
    return 'ok'
  }
  revokeKey(loaded.partnersFile, key.id)
  io.err(
    `Revoked ${key.id} in ${displayName(loaded.partnersFile)}; a running gateway refuses it and its tokens within a second.\n`,
  )
  return 'ok'
}
