import type { Deciding } from '../cassettes/interaction.ts'
import { CONTRACT_FIELDS } from '../cassettes/redaction/contract.ts'
import { createSecrets, type Secrets } from '../cassettes/redaction/secrets/secrets.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { Invocation, Io } from './command.ts'
import { configFile, namedFile, readConfig } from './config-file.ts'
import type { Exit } from './exit-codes.ts'

export type CassetteConfig =
  | {
      readonly ok: true
      readonly config: Config
      /** What decides by the configuration that is named; undefined where none is. */
      readonly deciding: Deciding | undefined
    }
  | { readonly ok: false; readonly exit: Exit }

/**
 * The configuration that is named, for what decides in it. None is looked for: a cassette must not be another one
 * for the directory in which a command is started.
 */
export function cassetteConfig({ options }: Invocation, io: Io): CassetteConfig {
  const file = namedFile(options.config)
  const result = readConfig(file, io)
  if (!result) return { ok: false, exit: 'configuration' }
  const { config } = result
  const { outcomes, scores } = config
  return { ok: true, config, deciding: file === null ? undefined : { rules: outcomes, scores } }
}

/** Knows the secrets of the configuration and the environment, and those of a configuration that is merely there. */
export function knownSecrets({ operator }: Config, io: Io): Secrets {
  const secrets = createSecrets(CONTRACT_FIELDS.words)
  const known = [operator.token, usualToken(io), io.env.SANDGATE_CLIENT_SECRET, io.env.SANDGATE_CASSETTE_KEY]
  for (const secret of known) if (secret) secrets.learn(secret)
  return secrets
}

function usualToken(io: Io): string | null {
  const usual = loadConfig({ file: configFile(undefined), env: io.env })
  return usual.ok ? usual.config.operator.token : null
}
