import type { FastifyRequest } from 'fastify'
import { type ClientSubject, shownAddress } from '../checks/client-ip.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/logger.ts'
import { createRateWindows } from '../store/windows.ts'

/** Wrong operator tokens, by the address that they come from. */
export type TokenFailures = {
  /** How long the address has to wait before another token of its is looked at; undefined: not at all. */
  readonly waitSeconds: (request: FastifyRequest) => number | undefined
  readonly note: (request: FastifyRequest) => void
}

export type TokenFailureParts = {
  readonly config: Config
  readonly clientOf: (socketAddress: string | undefined, forwardedFor: string | undefined) => ClientSubject
  readonly logger: Pick<Logger, 'warn'>
}

const FAILURES = 10
const WINDOW_MS = 60_000

/**
 * Beyond loopback the operator's token may be guessed at, and a person may have chosen it. After ten wrong ones in a
 * minute an address is not listened to, a right token included; every other address is. Time is the wall clock's: one
 * that the operator listener can move would be a way around.
 */
export function createTokenFailures(parts: TokenFailureParts): TokenFailures {
  const windows = createRateWindows()
  const clientOf = ({ raw }: FastifyRequest) => parts.clientOf(raw.socket.remoteAddress, undefined)
  const windowOf = ({ subject, shared }: ClientSubject) => ({
    group: 'operator',
    subject,
    shared,
    limit: FAILURES,
    windowMs: WINDOW_MS,
  })
  return {
    waitSeconds: (request) => {
      const now = systemClock.now()
      const { full, resetAt } = windows.peek(windowOf(clientOf(request)), now)
      return full ? Math.max(1, Math.ceil((resetAt - now) / 1000)) : undefined
    },
    note: (request) => {
      const client = clientOf(request)
      windows.take(windowOf(client), systemClock.now())
      const shown = shownAddress(client, parts.config.log.clientAddress)
      parts.logger.warn(shown === undefined ? {} : { client: shown }, 'a wrong operator token was refused')
    },
  }
}
