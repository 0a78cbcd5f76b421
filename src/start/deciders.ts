import { isDeepStrictEqual } from 'node:util'
import { type Clock, systemClock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { UpstreamConfig } from '../config/upstream.ts'
import { sourceOf } from '../config/upstream-rules.ts'
import type { Decider, Deciders } from '../decisions/decide.ts'
import { createClientToken } from '../decisions/forward/client-token.ts'
import { createCredentials, secretOf } from '../decisions/forward/credentials.ts'
import {
  createForwarder,
  type Forwarded,
  type Forwarder,
  type ForwarderOptions,
} from '../decisions/upstream.ts'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Operation } from '../operations/operation.ts'
import { createAssertions } from '../tokens/assertion.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { BreakerState } from '../upstream/breaker.ts'
import { createClient, type HttpClient } from '../upstream/client.ts'

export type UpstreamParts = {
  readonly signingKeys: SigningKeys
  readonly publicUrl: () => string
  readonly issuer: () => string
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'count'>
  /** In place of the system's: where a test says what a name means. */
  readonly lookup?: ForwarderOptions['lookup']
  readonly clock?: Clock
}

export type LiveDeciders = Deciders & {
  /** What a new configuration means to the requests that follow. */
  readonly use: (config: Config) => void
  /** How often a circuit breaker has opened since the start. */
  readonly opened: () => number
  /** Of the upstream's circuit breaker; undefined without an upstream. */
  readonly upstream: () => { readonly breaker: BreakerState } | undefined
  readonly close: () => Promise<void>
}

type Running = {
  readonly forwarder: Forwarder
  readonly tokens: HttpClient[]
}

/** The settings, and what the files hold that they name. */
type Settings = { readonly config: UpstreamConfig; readonly secret: string }

const ALERT_EVERY_MS = 10_000

/** Who decides each operation: the simulator, or the upstream as the configuration has it at the moment. */
export function createDeciders(simulator: Decider, initial: Config, parts: UpstreamParts): LiveDeciders {
  let config = initial
  let opened = 0
  const onOpened = () => {
    opened += 1
  }
  const retired = new Set<Running>()
  let used = withSecrets(initial.upstream)
  let running = start(used, parts, onOpened)

  return {
    of: (operation: Operation) =>
      running && sourceOf(config, operation.id) === 'upstream' ? running.forwarder : simulator,
    ofTakeovers: () => running?.forwarder,
    opened: () => opened,
    upstream: () => running && { breaker: running.forwarder.state() },
    use: (next) => {
      config = next
      try {
        const settings = withSecrets(next.upstream)
        if (isDeepStrictEqual(used, settings)) return
        const before = running
        running = start(settings, parts, onOpened)
        used = settings
        // What is under way ends with those that it began with.
        if (before) {
          retired.add(before)
          void retire(before).then(() => retired.delete(before))
        }
      } catch (error) {
        parts.logger.error(
          { err: error },
          'the new settings of the upstream cannot be used; those before stay',
        )
      }
    },
    close: async () => {
      await Promise.all([...retired, ...(running ? [running] : [])].map(end))
    },
  }
}

function withSecrets(config: UpstreamConfig): Settings {
  const { auth } = config
  switch (auth.type) {
    case 'client-credentials':
      return { config, secret: auth.clientSecret ?? secretOf(auth.clientSecretFile) }
    case 'header':
      return { config, secret: auth.value ?? secretOf(auth.valueFile) }
    default:
      return { config, secret: '' }
  }
}

async function retire({ forwarder, tokens }: Running): Promise<void> {
  await Promise.all([forwarder.retire(), ...tokens.map((each) => each.retire())])
}

async function end({ forwarder, tokens }: Running): Promise<void> {
  await Promise.all([forwarder.close(), ...tokens.map((each) => each.close())])
}

function start(settings: Settings, parts: UpstreamParts, onOpened: () => void): Running | undefined {
  const { config, secret } = settings
  const { url, auth } = config
  if (url === null) return undefined
  const { publicUrl, issuer, signingKeys, logger, metrics } = parts
  const tokens: HttpClient[] = []
  const credentials = createCredentials(config, secret, {
    assert: createAssertions({
      signingKeys,
      issuer,
      audience: new URL(url).origin,
      clock: parts.clock ?? systemClock,
    }),
    clientToken: () => {
      const client = createClient(new URL(auth.tokenUrl ?? '').origin, {
        connections: 1,
        connectMs: config.connectTimeoutMs,
      })
      tokens.push(client)
      return createClientToken(auth, secret, client, config, () => performance.now())
    },
  })
  const forwarder = createForwarder({
    config,
    url,
    credentials,
    publicUrl,
    onForwarded: createReport(logger, metrics),
    onState: (state) => {
      if (state === 'open') {
        onOpened()
        logger.error({ breaker: state }, 'the upstream fails; it is left alone for a moment')
      } else if (state === 'half-open') logger.info({ breaker: state }, 'the upstream is tried again')
      else logger.info({ breaker: state }, 'the upstream answers again')
    },
    ...(parts.lookup && { lookup: parts.lookup }),
  })
  return { forwarder, tokens }
}

/** Failures go to the log by their cause, without an address; a refusal of the gateway itself is an alert. */
function createReport(logger: Logger, metrics: UpstreamParts['metrics']): (forwarded: Forwarded) => void {
  let alertedAt = Number.NEGATIVE_INFINITY
  return ({ operation, requestId, verdict, outcome, cause }) => {
    metrics.count('sandgate_upstream_requests_total', { outcome })
    if (verdict.isAlert) {
      metrics.count('sandgate_upstream_credentials_refused_total', {})
      if (performance.now() - alertedAt < ALERT_EVERY_MS) return
      alertedAt = performance.now()
      logger.error(
        { requestId, operation },
        'the upstream does not accept the gateway: look at upstream.auth, and at the clocks of both',
      )
    } else if (verdict.isFailure) {
      logger.warn({ requestId, operation, outcome, cause }, 'the upstream failed')
    }
  }
}
