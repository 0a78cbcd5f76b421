import { CONTRACT_FIELDS } from '../cassettes/redaction/contract.ts'
import { createSecrets, type Secrets } from '../cassettes/redaction/secrets/secrets.ts'
import type { OutcomeRule } from '../config/outcomes.ts'
import type { Config } from '../config/schema.ts'
import type { Invocation, Io } from './command.ts'
import { configFile, readConfig } from './config-file.ts'
import type { Exit } from './exit-codes.ts'

export type CassetteConfig =
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
export function cassetteConfig({ options }: Invocation, io: Io): CassetteConfig {
  const result = readConfig(configFile(options.config), io)
  if (!result) return { ok: false, exit: 'configuration' }
  const { config } = result
  const { outcomes, scores, operator } = config
  const secrets = createSecrets(CONTRACT_FIELDS.words)
  for (const secret of [operator.token, io.env.SANDGATE_CLIENT_SECRET, io.env.SANDGATE_CASSETTE_KEY])
    if (secret) secrets.learn(secret)
  return { ok: true, config, rules: outcomes, testValues: Object.keys(scores), secrets }
}
