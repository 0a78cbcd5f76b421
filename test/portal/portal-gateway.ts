import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { type ControllableClock, frozenClock } from '../../src/clock.ts'
import type { Override } from '../../src/config/environment.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Config } from '../../src/config/schema.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { type RunningGateway, startGateway } from '../../src/start/gateway.ts'
import type { StartOptions } from '../../src/start/options.ts'
import { partner, partnerConfig, type TestPartner } from '../support/partners.ts'
import { keptSigningKey } from '../support/signing-key.ts'

export const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
export const FORM = 'application/x-www-form-urlencoded'

export type PortalGateway = {
  readonly url: string
  readonly operatorUrl: string
  readonly config: Config
  readonly clock: ControllableClock
  readonly reconfigure: (change: (config: Config) => Config) => void
  readonly partners: readonly TestPartner[]
  /** A partner that no other test of the file has got. */
  readonly nextPartner: () => TestPartner
  /** Every line that was logged. */
  readonly logs: () => string
  /** POSTs a payment of this many XOF, which succeeds unless it is told to fail. */
  readonly pay: (partner: TestPartner, amount: number, outcome?: 'success' | 'failed') => Promise<Response>
  /** One that is good for another half hour at least. */
  readonly token: (partner: TestPartner) => Promise<string>
  readonly close: () => Promise<void>
}

export type PortalGatewayOptions = {
  readonly partners?: readonly TestPartner[]
  readonly change?: (config: Config) => Config
  /** A directory for an embedded store; by default it is in memory. */
  readonly directory?: string
  /** Where its clock stands, in milliseconds since the epoch; by default it is now. */
  readonly now?: number
  /** Sees what is recorded. */
  readonly observer?: NonNullable<StartOptions['observer']>
}

/** One for the tests of a file: in this process, in memory, on a clock that stands still unless it is moved. */
export function usePortalGateway(options: PortalGatewayOptions = {}): () => PortalGateway {
  let gateway: PortalGateway | undefined
  beforeAll(async () => {
    gateway = await startPortalGateway(options)
  })
  afterAll(() => gateway?.close())
  return () => {
    if (!gateway) throw new Error('the gateway starts before the first test')
    return gateway
  }
}

export async function startPortalGateway(options: PortalGatewayOptions = {}): Promise<PortalGateway> {
  const { change = (config) => config, directory, observer, now = Date.now() } = options
  const partners = options.partners ?? Array.from({ length: 20 }, (_, index) => partner(`p${index + 1}`))
  let config = change(testConfig(partners, directory))
  const lines: string[] = []
  const logger = createLogger({ ...config.log, format: 'json' }, { write: (line) => lines.push(line) })
  const clock = frozenClock(Math.floor(now / 1000) * 1000)
  const running = await startGateway({
    config,
    logger,
    clock,
    firstKey: keptSigningKey,
    ...(observer && { observer }),
  })
  const tokens = new Map<string, { readonly token: Promise<string>; readonly at: number }>()
  let next = 0
  const token = (one: TestPartner) => {
    const known = tokens.get(one.id)
    if (known && clock.now() - known.at < 1_800_000) return known.token
    const fresh = { token: exchange(running, one), at: clock.now() }
    tokens.set(one.id, fresh)
    return fresh.token
  }
  return {
    url: running.partnerUrl,
    operatorUrl: running.operatorUrl,
    get config() {
      return config
    },
    clock,
    reconfigure: (by) => {
      config = by(config)
      running.reconfigure(config)
    },
    partners,
    nextPartner: () => {
      const one = partners[next++]
      if (!one) throw new RangeError('configure more partners for this file')
      return one
    },
    logs: () => lines.join(''),
    token,
    pay: async (one, amount, outcome = 'success') =>
      fetch(`${running.partnerUrl}/v1/payments/fund`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await token(one)}`,
          'idempotency-key': randomUUID(),
          'content-type': 'application/json',
          'x-sandbox-outcome': outcome,
        },
        body: JSON.stringify({ amount }),
      }),
    close: () => running.close(),
  }
}

async function exchange({ partnerUrl }: RunningGateway, { keyId, secret }: TestPartner): Promise<string> {
  const body = new URLSearchParams({ client_id: keyId, client_secret: secret })
  const answer = await fetch(`${partnerUrl}/auth/token`, { method: 'POST', body })
  const { access_token: token } = (await answer.json()) as { access_token?: string }
  if (token === undefined) throw new Error(`no token: ${answer.status}`)
  return token
}

function testConfig(partners: readonly TestPartner[], directory: string | undefined): Config {
  const settings: [string, unknown][] = [
    ['listen.port', 0],
    ['operator.port', 0],
    ['store.engine', directory === undefined ? 'memory' : 'embedded'],
    ['clock.controllable', true],
    ['server.maxLoopDelayMs', 60_000],
    // Whatever its public URL is: no balancer has to notice that it ends.
    ['server.lameDuckMs', 0],
    ['rateLimits.groups.other', 10_000],
    ['tokens.failuresPerIp', 10_000],
  ]
  if (directory !== undefined) settings.push(['store.path', directory])
  const flags: Override[] = settings.map(([path, value]) => ({ source: path, path: path.split('.'), value }))
  const loaded = loadConfig({ flags })
  if (!loaded.ok) throw new Error(loaded.errors.map(({ message }) => message).join('\n'))
  return { ...loaded.config, partners: partners.map(partnerConfig) as unknown as Config['partners'] }
}

/** A browser without a screen: it keeps the portal's cookies and sends forms as a page would. */
export type Visitor = {
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>
  readonly post: (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>
  /** The hidden token of the first form on a page. */
  readonly formToken: (path: string) => Promise<string>
  readonly signIn: (partner: TestPartner) => Promise<Response>
  readonly cookies: Map<string, string>
}

export function newVisitor(url: string): Visitor {
  const cookies = new Map<string, string>()
  const ask = async (path: string, init: RequestInit, more: Readonly<Record<string, string>> = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: BROWSER, 'accept-language': 'en', ...(cookie && { cookie }), ...more }
    const response = await fetch(url + path, { ...init, redirect: 'manual', headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0(?:;|$)/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const visitor: Visitor = {
    cookies,
    get: (path, headers) => ask(path, {}, headers),
    post: (path, fields, headers) =>
      ask(
        path,
        { method: 'POST', body: new URLSearchParams(fields).toString() },
        { 'content-type': FORM, ...headers },
      ),
    formToken: async (path) => {
      const text = await (await visitor.get(path)).text()
      return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''
    },
    signIn: async ({ keyId, secret }) => {
      const token = await visitor.formToken('/portal/sign-in')
      return visitor.post('/portal/sign-in', { keyId, key: secret, token })
    },
  }
  return visitor
}
