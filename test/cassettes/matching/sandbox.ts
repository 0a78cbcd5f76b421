import { createHash } from 'node:crypto'
import type {
  CapturedReply,
  CapturedRequest,
  Interaction,
  Origin,
} from '../../../src/cassettes/interaction.ts'
import { frozenClock } from '../../../src/clock.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { Partner } from '../../../src/config/partners.ts'
import { problem } from '../../../src/errors/problem.ts'
import type { HeaderLine } from '../../../src/http/header-lines.ts'
import type { Fields, Operation, Simulation } from '../../../src/operations/operation.ts'
import { OPERATIONS } from '../../../src/operations/operations.ts'
import { createIds } from '../../../src/simulator/ids.ts'
import { compileRules } from '../../../src/simulator/rules.ts'
import type { RecordWrite } from '../../../src/store/store.ts'

export const ORIGIN = 'https://sandbox.example.com'
export const T0 = Date.UTC(2026, 0, 15, 9, 30)
export const LANE = 'key_demo'

/** One client's way to the sandbox, recorded or replayed. */
export type Send = (request: CapturedRequest, operation: string | undefined) => Promise<CapturedReply>

export type Interruption = { readonly origin: Origin; readonly reply: CapturedReply }

export type Sandbox = {
  /** The client of a lane. */
  readonly client: (lane?: string) => Send
  /** What was recorded so far, before redaction and without bindings. */
  readonly interactions: () => readonly Interaction[]
  /** The next request gets this instead of the sandbox's answer. */
  readonly interrupt: (interruption: Interruption) => void
}

const routes = OPERATIONS.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{([A-Za-z]+)\}/g, '(?<$1>[^/]+)')}$`),
}))

const loaded = loadConfig()
if (!loaded.ok) throw new TypeError('the built-in configuration is valid')
const config = loaded.config
const partner: Partner = { id: 'demo', name: 'Demo', tenant: 'tn_sandbox_demo', scopes: [], keys: [] }

/** The operations' own simulations over records in memory, with idempotency; every exchange is written down. */
export function createSandbox(seed = 'seed'): Sandbox {
  const clock = frozenClock(T0)
  let drawn = 0
  const random = (bytes: number) =>
    createHash('sha512').update(`${seed} ${drawn++}`).digest().subarray(0, bytes)
  const ids = createIds(clock, random)
  const records = createRecords()
  const stored = new Map<string, CapturedReply>()
  const interactions: Interaction[] = []
  const interruptions: Interruption[] = []

  const answer = async (
    operation: Operation,
    params: Readonly<Record<string, string>>,
    request: CapturedRequest,
  ) => {
    const query = Object.fromEntries(
      [...new URL(request.target, ORIGIN).searchParams].map(([name, value]) => [
        name,
        /^(?:amount|limit|termMonths)$/.test(name) ? Number(value) : value,
      ]),
    )
    const body = request.body.length === 0 ? {} : (JSON.parse(Buffer.from(request.body).toString()) as Fields)
    const requestId = ids.request()
    const call = {
      operation,
      requestId,
      partner,
      tenant: partner.tenant,
      body,
      query,
      params,
      request: {
        method: operation.method,
        path: operation.path,
        query: '',
        headers: {},
        body: Buffer.from(request.body),
        client: 'ip:127.0.0.1',
      },

      language: 'en' as const,
      now: clock.now(),
      windows: () => [],
    }
    const outcome = request.headers.find(([name]) => name === 'X-Sandbox-Outcome')?.[1]
    const decided = await operation.simulate(
      { ...call, ...(outcome !== undefined && { requestedOutcome: outcome }) },
      {
        config,
        rules: compileRules(config.outcomes),
        ids,
        publicUrl: () => ORIGIN,
        records,
        resetData: async () => records.clear(),
        usage: () => [],
        peek: () => ({ limit: 1, remaining: 1, resetAt: 0, full: false }),
        history: { history: () => [], refusals: () => [] },
      } satisfies Simulation,
    )
    if (decided.kind === 'refused') {
      const document = problem(decided.refusal, requestId, ORIGIN)
      const origin: Origin = `edge:${decided.refusal.code}`
      return {
        origin,
        stored: decided.stored,
        reply: replyOf(document.status, document, requestId, clock.now()),
      }
    }
    for (const write of decided.records) records.put(write)
    const more: HeaderLine[] = []
    if (decided.location !== undefined) more.push(['Location', decided.location])
    if (decided.rule !== undefined) more.push(['X-Sandbox-Rule', decided.rule])
    const origin: Origin = `simulator:${decided.rule ?? 'default'}`
    return {
      origin,
      stored: true,
      reply: replyOf(decided.status, decided.body, requestId, clock.now(), more),
    }
  }

  return {
    interactions: () => interactions,
    interrupt: (interruption) => interruptions.push(interruption),
    client:
      (lane = LANE) =>
      async (request) => {
        clock.advance(1000)
        const path = new URL(request.target, ORIGIN).pathname
        const route = routes.find(
          ({ operation, pattern }) => operation.method === request.method && pattern.test(path),
        )
        if (!route) throw new TypeError(`no operation for ${request.method} ${path}`)
        const { operation, pattern } = route
        const startedAt = clock.now()
        const key = request.headers.find(([name]) => name === 'Idempotency-Key')?.[1]
        const known = key === undefined ? undefined : stored.get(`${lane} ${key}`)
        const interruption = interruptions.shift()
        let origin: Origin = 'simulator:default'
        let reply: CapturedReply
        if (interruption) ({ origin, reply } = interruption)
        else if (known) reply = { ...known, headers: [...known.headers, ['Idempotency-Replayed', 'true']] }
        else {
          const made = await answer(operation, { ...pattern.exec(path)?.groups }, request)
          ;({ origin, reply } = made)
          if (key !== undefined && made.stored) stored.set(`${lane} ${key}`, reply)
        }
        clock.advance(20)
        const sequence = interactions.length + 1
        interactions.push({
          sequence,
          ended: sequence,
          startedAt,
          durationMs: 20,
          lane,
          operation: operation.id,
          origin,
          request,
          reply,
          bindings: [],
          redactions: [],
        })
        return reply
      },
  }
}

export function replyOf(
  status: number,
  body: unknown,
  requestId: string,
  now: number,
  more: readonly HeaderLine[] = [],
): CapturedReply {
  const bytes = Buffer.from(JSON.stringify(body))
  const type = status < 300 ? 'application/json' : 'application/problem+json'
  const headers: HeaderLine[] = [
    ['Content-Type', type],
    ...more,
    ['Content-Length', String(bytes.length)],
    ['X-Request-Id', requestId],
    ['X-RateLimit-Reset', String(Math.ceil(now / 1000) + 60)],
    ['Date', new Date(now).toUTCString()],
  ]
  return { status, headers, body: bytes }
}

function createRecords() {
  const kept = new Map<string, Map<string, unknown>>()
  const of = (kind: string) => {
    const found = kept.get(kind) ?? new Map<string, unknown>()
    kept.set(kind, found)
    return found
  }
  return {
    clear: () => kept.clear(),
    put: ({ kind, id, value, ifPresent }: RecordWrite) => {
      if (ifPresent === 'replace' || !of(kind).has(id)) of(kind).set(id, value)
    },
    get: <T>(kind: string, _tenant: string, id: string) => of(kind).get(id) as T | undefined,
    page: <T>(kind: string, _tenant: string, { limit, before }: { limit: number; before?: string }) => {
      const ids = [...of(kind).keys()].sort().reverse()
      const rest = before === undefined ? ids : ids.filter((id) => id < before)
      const page = rest.slice(0, limit)
      return {
        items: page.map((id) => of(kind).get(id) as T),
        next: rest.length > limit ? (page.at(-1) ?? null) : null,
      }
    },
  }
}
