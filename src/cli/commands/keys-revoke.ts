import { resolve } from 'node:path'
import { revokeKey } from '../../config/partners-edit.ts'
import { displayName } from '../../config/yaml-file.ts'
import type { Run } from '../command.ts'
import { handOver } from '../hand-over.ts'
import { partnerConfig } from '../partner-config.ts'

/**
 * Revokes a sandbox key in the partners' file and in the running gateway, which refuses it and its tokens when this
 * says so.
 */
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
  const file = displayName(loaded.partnersFile)
  if (key.revoked) io.err(`${key.id} is revoked already in ${file}.\n`)
  else {
    const edited = await revokeKey(loaded.partnersFile, key.id)
    if (!edited.ok) {
      io.err(`sandgate keys revoke: ${edited.message}\n`)
      return 'failure'
    }
    io.err(`Revoked ${key.id} in ${file}.\n`)
  }
  const told = await handOver(loaded.config, '/keys/revoke', {
    file: resolve(loaded.partnersFile),
    keyId: key.id,
  })
  io.err(
    told.kind === 'taken'
      ? 'The running gateway refuses it and its tokens from now on.\n'
      : `${told.message} One that runs elsewhere refuses it when it has read the file.\n`,
  )
  return 'ok'
}
