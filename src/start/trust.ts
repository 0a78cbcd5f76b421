import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/logger.ts'
import { createTrustedIssuers, type TrustedIssuers } from '../tokens/trusted-issuers.ts'
import { fetchText } from '../upstream/fetch-text.ts'

export type Trust = {
  readonly current: () => TrustedIssuers | undefined
  /** What a new configuration means to the requests that follow. */
  readonly use: (config: Config) => void
  readonly stop: () => void
}

/** The gateways in front, as the configuration has them at the moment. */
export function createTrust(
  initial: Config,
  parts: {
    readonly publicUrl: () => string
    readonly boundUrl: () => string
    readonly logger: Logger
  },
): Trust {
  let config = initial
  let current = trust(initial)

  function trust({ tokens: { trustedIssuers: issuers } }: Config): TrustedIssuers | undefined {
    if (issuers.length === 0) return undefined
    return createTrustedIssuers({
      issuers,
      audiences: () => [parts.publicUrl(), parts.boundUrl(), ...config.tokens.assertionAudiences],
      fetchKeys: fetchText,
      clock: systemClock,
      onKeys: (issuer, problem) => {
        if (problem === undefined) parts.logger.info({ issuer }, 'has the keys of a gateway in front')
        else parts.logger.warn({ issuer, problem }, 'cannot get the keys of a gateway in front')
      },
    })
  }

  return {
    current: () => current,
    use: (next) => {
      const isSame = isDeepStrictEqual(config.tokens.trustedIssuers, next.tokens.trustedIssuers)
      config = next
      if (isSame) return
      current?.stop()
      current = trust(next)
    },
    stop: () => current?.stop(),
  }
}
