import { resolve } from 'node:path'
import { addKey } from '../../config/partners-edit.ts'
import { createSandboxKey } from '../../config/sandbox-keys.ts'
import { displayName } from '../../config/yaml-file.ts'
import type { Run } from '../command.ts'
import { handOver } from '../hand-over.ts'
import { listOf } from '../parse.ts'
import { partnerConfig } from '../partner-config.ts'

/** Makes a sandbox key. It is printed once, on standard output; what is kept is its SHA-256. */
export const run: Run = async ({ options }, io) => {
  const loaded = partnerConfig('keys create', options.config, io)
  if (!loaded.ok) return loaded.exit
  const wrong = (message: string) => {
    io.err(`sandgate keys create: ${message}\n`)
    return 'usage' as const
  }
  const { partners } = loaded.config
  const partner = partners.find(({ id }) => id === options.partner)
  if (!partner) {
    const names = partners.map(({ id }) => id).join(', ')
    return wrong(`name the partner with --partner ID; there are ${names}`)
  }
  const scopes = options.scopes === undefined ? undefined : listOf(options.scopes)
  const strange = scopes?.find((scope) => !partner.scopes.some((held) => held === scope))
  if (strange !== undefined || scopes?.length === 0) {
    return wrong(
      `${partner.id} does not hold the scope ${strange ?? '(none)'}; it holds ${partner.scopes.join(', ')}`,
    )
  }

  const key = createSandboxKey()
  const entry = { id: key.id, sha256: key.sha256, ...(scopes && { scopes }) }
  const file = displayName(loaded.partnersFile)
  if (options.write) {
    const edited = await addKey(loaded.partnersFile, partner.id, entry)
    if (!edited.ok) {
      io.err(`sandgate keys create: ${edited.message}, and no key was made\n`)
      return 'failure'
    }
  }
  if (options.write) {
    io.err(`Added ${key.id} to ${partner.id} in ${file}.\n`)
    const told = await handOver(loaded.config, '/configuration/reload', {
      file: resolve(loaded.partnersFile),
    })
    io.err(
      told.kind === 'taken'
        ? 'The running gateway knows it.\n'
        : `${told.message} One that runs elsewhere knows it when it has read the file.\n`,
    )
  } else {
    io.err(`Add this under keys: of ${partner.id} in ${file}, or run again with --write:\n\n${yaml(entry)}\n`)
  }
  io.err('The sandbox key, shown this once:\n')
  io.out(`${key.secret}\n`)
  return 'ok'
}

function yaml({ id, sha256, scopes }: { id: string; sha256: string; scopes?: readonly string[] }): string {
  const lines = [`    - id: ${id}`, `      sha256: ${sha256}`]
  if (scopes) lines.push(`      scopes: [${scopes.join(', ')}]`)
  return `${lines.join('\n')}\n`
}
