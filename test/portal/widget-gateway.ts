import { afterAll, beforeAll } from 'vitest'
import { frozenClock } from '../../src/clock.ts'
import type { Override } from '../../src/config/environment.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Config } from '../../src/config/schema.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { type RunningGateway, startGateway } from '../../src/start/gateway.ts'
import { DEMO_CLIENT } from '../support/partners.ts'
import { keptSigningKey } from '../support/signing-key.ts'

export const APPROVED_PHONE = '+2250700000001'
export const REJECTED_PHONE = '+2250000000009'

export type WidgetSession = { readonly sessionId: string; readonly url: string }

export type WidgetGateway = {
  readonly url: string
  readonly name: string
  /** A new session of the demo partner. */
  readonly session: (fields?: Readonly<Record<string, string>>) => Promise<WidgetSession>
  /** What the partner reads of a session. */
  readonly read: (sessionId: string) => Promise<{ status: number; decision?: Record<string, unknown> }>
  /** How many of the partner's kyc decisions are used. */
  readonly used: () => Promise<number>
  readonly advance: (seconds: number) => Promise<void>
}

const NAME = 'Baobab Finance'

/** A gateway in this process for the tests of a file: in memory, on a free port, with a clock that can be moved. */
export function useWidgetGateway(
  change: (config: Config) => Config = (config) => config,
): () => WidgetGateway {
  let running: RunningGateway | undefined
  let gateway: WidgetGateway | undefined
  beforeAll(async () => {
    const config = change(testConfig())
    // Time stands still unless a test moves it.
    const clock = frozenClock(Date.now())
    running = await startGateway({
      config,
      logger: createLogger(config.log),
      clock,
      firstKey: keptSigningKey,
    })
    gateway = await widgetGateway(running)
  })
  afterAll(() => running?.close())
  return () => {
    if (!gateway) throw new Error('the gateway starts before the first test')
    return gateway
  }
}

function testConfig(): Config {
  const settings: readonly [string, unknown][] = [
    ['listen.port', 0],
    ['operator.port', 0],
    ['store.engine', 'memory'],
    ['clock.controllable', true],
    ['log.format', 'off'],
    ['server.maxLoopDelayMs', 60_000],
    ['rateLimits.groups.other', 100_000],
  ]
  const flags: Override[] = settings.map(([path, value]) => ({ source: path, path: path.split('.'), value }))
  const loaded = loadConfig({ flags })
  if (!loaded.ok) throw new Error(loaded.errors.map(({ message }) => message).join('\n'))
  const { config } = loaded
  return { ...config, partners: config.partners.map((partner) => ({ ...partner, name: NAME })) }
}

async function widgetGateway({ partnerUrl: url, operatorUrl }: RunningGateway): Promise<WidgetGateway> {
  let bearer = ''
  const renew = async (): Promise<void> => {
    const answer = await json(`${url}/auth/token`, {}, DEMO_CLIENT)
    bearer = `Bearer ${answer.access_token}`
  }
  await renew()
  const headers = () => ({ authorization: bearer, 'idempotency-key': crypto.randomUUID() })
  return {
    url,
    name: NAME,
    session: async (fields = {}) => {
      const { sessionId, url: page } = await json(`${url}/v1/kyc/widget/session`, headers(), fields)
      return { sessionId: String(sessionId), url: String(page) }
    },
    read: async (sessionId) => {
      const answer = await json(`${url}/v1/kyc/widget/session/${sessionId}`, headers())
      return answer as Awaited<ReturnType<WidgetGateway['read']>>
    },
    used: async () => {
      const { caps } = await json(`${url}/portal/usage`, { ...headers(), accept: 'application/json' })
      const kyc = (caps as { product: string; used: number }[]).find(({ product }) => product === 'kyc')
      return kyc?.used ?? Number.NaN
    },
    advance: async (seconds) => {
      await json(`${operatorUrl}/clock`, {}, { advanceSeconds: seconds })
      await renew()
    },
  }
}

async function json(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, ...((await response.json()) as object) }
}
