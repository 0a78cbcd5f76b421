import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterEach } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { Logger } from '../../src/observe/logger.ts'
import { type RunningGateway, startGateway } from '../../src/start/gateway.ts'
import type { StartOptions } from '../../src/start/options.ts'
import { overrides } from '../support/overrides.ts'
import { DEMO_CLIENT } from '../support/partners.ts'
import { keepSigningKey } from '../support/signing-key.ts'
import { endScripted } from './scripted.ts'

const CAP = { product: 'payments.fund', period: 'day', unit: 'amount', limit: 50_000_000 } as const

export const PAYMENT = { amount: 5077, phone: '+2250712345678' }

const running = new Set<RunningGateway>()
const directories: string[] = []
const agents: Agent[] = []

/** For every file that starts one: files share their modules, so that it has to be asked for in each. */
export function endAfterEachTest(): void {
  afterEach(async () => {
    await Promise.all([...running].map((gateway) => gateway.close()))
    running.clear()
    await Promise.all(agents.splice(0).map((agent) => agent.destroy()))
    await endScripted()
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
  })
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-upstream-'))
  directories.push(directory)
  return directory
}

export type Answer = {
  readonly status: number
  readonly code: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  readonly replayed: boolean
}

export type FrontOptions = {
  /** Of the section `upstream`. */
  readonly upstream?: Readonly<Record<string, unknown>>
  /** Settings by path, such as `decisions.from`. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly path?: string
  readonly lookup?: StartOptions['lookup']
  readonly observer?: StartOptions['observer']
}

export type LogLine = {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

export type Front = Awaited<ReturnType<typeof startFront>>

/** A gateway in this process, with the demo partner, that forwards everything to `url`. */
export async function startFront(url: string, options: FrontOptions = {}) {
  const path = options.path ?? freshDataDirectory()
  const wanted = {
    'listen.port': 0,
    'operator.port': 0,
    'store.path': path,
    'server.drainMs': 200,
    'server.maxLoopDelayMs': 60_000,
    'decisions.from': 'upstream',
    upstream: { url, timeoutMs: 800, connectTimeoutMs: 800, ...options.upstream },
    ...options.settings,
  }
  const configured = (settings: Readonly<Record<string, unknown>>) => {
    const loaded = loadConfig({ file: null, flags: overrides(settings) })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors))
    return loaded.config
  }
  const log: LogLine[] = []
  const gateway = await startGateway({
    config: configured(wanted),
    logger: collecting(log),
    ...(options.lookup && { lookup: options.lookup }),
    ...(options.observer && { observer: options.observer }),
  })
  running.add(gateway)
  const agent = new Agent()
  agents.push(agent)
  const token = await request(`${gateway.partnerUrl}/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(DEMO_CLIENT).toString(),
  })
  const { access_token } = (await token.body.json()) as { access_token: string }
  const authorization = `Bearer ${access_token}`

  const send = async (
    method: 'GET' | 'POST' | 'HEAD',
    target: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<Answer> => {
    const response = await request(`${gateway.partnerUrl}${target}`, {
      method,
      headers: { authorization, ...headers },
      dispatcher: agent,
      ...(body !== undefined && { body }),
    })
    const text = await response.body.text()
    return {
      status: response.statusCode,
      code: codeOf(text),
      headers: response.headers,
      body: text,
      replayed: response.headers['idempotency-replayed'] === 'true',
    }
  }
  return {
    ...{ gateway, path, log, authorization, send },
    url: gateway.partnerUrl,
    get: (target = '/v1/accounts', headers?: Record<string, string>) => send('GET', target, headers),
    pay: (key: string, fields: object = PAYMENT, headers: Record<string, string> = {}) =>
      send(
        'POST',
        '/v1/payments/fund',
        { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
        JSON.stringify(fields),
      ),
    /** How much of the day's cap of payments is used and reserved: what a crash at this moment would leave. */
    spent: () => spent(path),
    reconfigure: (settings: Readonly<Record<string, unknown>>) =>
      gateway.reconfigure(configured({ ...wanted, ...settings })),
    readiness: async () =>
      (await (await fetch(`${gateway.operatorUrl}/readyz`)).json()) as Record<string, unknown>,
    metric: async (name: string) => {
      const text = await (await fetch(`${gateway.operatorUrl}/metrics`)).text()
      return text.split('\n').filter((line) => line.startsWith(name))
    },
    close: async () => {
      running.delete(gateway)
      await gateway.close()
    },
  }
}

function freshDataDirectory(): string {
  const path = join(temporaryDirectory(), 'data')
  keepSigningKey(path)
  return path
}

/** Of a short answer: a long one is none that says what went wrong. */
function codeOf(text: string): string | undefined {
  if (text.length > 100_000) return undefined
  try {
    return (JSON.parse(text) as { code?: string }).code ?? undefined
  } catch {
    return undefined
  }
}

async function spent(path: string): Promise<{ used: number; reserved: number }> {
  const { openEmbeddedStore } = await import('../../src/store/embedded.ts')
  const store = await openEmbeddedStore({ path: copyOf(path) })
  const [usage] = await store.usage('demo', [CAP], Date.now())
  await store.close()
  return { used: usage?.used ?? -1, reserved: usage?.reserved ?? -1 }
}

/** The directory as a crash at this moment would leave it. */
export function copyOf(path: string): string {
  const copy = join(temporaryDirectory(), 'data')
  cpSync(path, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') })
  return copy
}

function collecting(log: LogLine[]): Logger {
  const at = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    log.push({ level, message, fields: { ...fields } })
  }
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    logRequest: () => {},
    flush: async () => {},
  }
}
