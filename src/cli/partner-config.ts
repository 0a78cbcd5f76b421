import type { Config } from '../config/schema.ts'
import type { Io } from './command.ts'
import { configFile, readConfig, USUAL_FILES } from './config-file.ts'
import type { Exit } from './exit-codes.ts'

export type PartnerConfig =
  | {
      readonly ok: true
      readonly config: Config
      /** The file that lists the partners: their own, or the configuration itself. */
      readonly partnersFile: string
    }
  | { readonly ok: false; readonly exit: Exit }

/** The configuration that a command about partners works on. It must be valid before anything is changed in it. */
export function partnerConfig(command: string, named: string | true | undefined, io: Io): PartnerConfig {
  const file = configFile(named)
  if (file === null) {
    io.err(`sandgate ${command}: neither ${USUAL_FILES.join(' nor ')} is here; name one with --config FILE\n`)
    return { ok: false, exit: 'usage' }
  }
  const result = readConfig(file, io)
  if (!result) return { ok: false, exit: 'configuration' }
  return { ok: true, config: result.config, partnersFile: result.files.at(-1) ?? file }
}
