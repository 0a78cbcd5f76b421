import { formatConfigErrors } from '../../config/errors.ts'
import { loadConfig } from '../../config/load.ts'
import { displayName } from '../../config/yaml-file.ts'
import type { Run } from '../command.ts'
import { configFile, USUAL_FILES } from '../config-file.ts'

/** Says what `serve` would say about the same file in the same environment, and starts nothing. */
export const run: Run = async ({ args }, io) => {
  const file = configFile(args[0])
  if (file === null) {
    io.err(`sandgate config check: neither ${USUAL_FILES.join(' nor ')} is here; name a FILE\n`)
    return 'usage'
  }
  const result = loadConfig({ file, env: io.env })
  for (const warning of result.warnings) io.err(`warning: ${warning}\n`)
  if (!result.ok) {
    io.err(`${formatConfigErrors(result.errors)}\n`)
    return 'configuration'
  }
  const { partners, caps, outcomes } = result.config
  const found = [count(partners, 'partner'), count(caps, 'cap'), count(outcomes, 'outcome rule')]
  io.out(`${result.files.map(displayName).join(', ')}: valid (${found.join(', ')})\n`)
  return 'ok'
}

function count(items: readonly unknown[], noun: string): string {
  return `${items.length} ${noun}${items.length === 1 ? '' : 's'}`
}
