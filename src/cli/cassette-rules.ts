import { CONTRACT_FIELDS } from '../cassettes/redaction/contract.ts'
import { createSecrets, type Secrets } from '../cassettes/redaction/secrets/secrets.ts'
import { formatConfigErrors } from '../config/errors.ts'
import { loadConfig } from '../config/load.ts'
import type { OutcomeRule } from '../config/outcomes.ts'
import type { Config } from '../config/schema.ts'
import type { Invocation, Io } from './command.ts'
import { configFile } from './config-file.ts'
import type { Exit } from './exit-codes.ts'

export type CassetteRules =
  | {
      readonly ok: true
      readonly config: Config
      readonly rules: readonly OutcomeRule[]
      readonly testValues: readonly string[]
      /** Knows the secrets of the configuration and the environment. */
      readonly secrets: Secrets
    }
  | { readonly ok: false; readonly exit: Exit }

/** What decides which values are magic and stay verbatim: the configuration, or the built-in rules without one. */
export function cassetteRules({ options }: Invocation, io: Io): CassetteRules {
  const result = loadConfig({ file: configFile(options.config), env: io.env })
  if (!result.ok) {
    io.err(`${formatConfigErrors(result.errors)}\n`)
    return { ok: false, exit: 'configuration' }
  }
  const { config } = result
  const { outcomes, scores, operator } = config
  const secrets = createSecrets(CONTRACT_FIELDS.words)
  for (const secret of [operator.token, io.env.SANDGATE_CLIENT_SECRET, io.env.SANDGATE_CASSETTE_KEY])
    if (secret) secrets.learn(secret)
  return { ok: true, config, rules: outcomes, testValues: Object.keys(scores), secrets }
}
