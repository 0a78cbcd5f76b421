import { VOLATILE } from '../src/cassettes/bindings/contract.ts'
import { loadCassette } from '../src/cassettes/file/load.ts'
import { CASSETTE_VERSION, type CapturedExchange } from '../src/cassettes/interaction.ts'
import { createWriter } from '../src/cassettes/writer/writer.ts'
import { instant } from '../src/clock.ts'
import type { HeaderLine } from '../src/http/header-lines.ts'
import { CLIENT } from './servers.ts'

/** An answer as it is on the cassette, for the peers to put into recordings of their own. */
export type Answer = {
  readonly path: string
  readonly headers: readonly HeaderLine[]
  readonly body: string
}

export type Recording = { readonly cassette: string; readonly answers: readonly Answer[] }

const T0 = Date.UTC(2026, 0, 15, 9, 30)
/** What may wait for the recorder at a time, so that its queue never overflows. */
const FLUSH_BYTES = 1 << 20

/** Writes exchanges as a cassette, with the recorder of the gateway. */
export async function record(path: string, exchanges: Iterable<CapturedExchange>): Promise<void> {
  const writer = await createWriter({
    path,
    header: {
      version: CASSETTE_VERSION,
      product: 'sandgate/bench',
      t0: T0,
      origin: 'http://127.0.0.1:8080',
      profile: 'contract',
      volatile: [...VOLATILE],
      outcomes: { from: 'built-in', rules: [], scores: {} },
    },
    allowHeaders: [],
    personal: true,
    secrets: [],
    existing: 'replace',
    leftover: 'discard',
  })
  let waiting = 0
  for (const exchange of exchanges) {
    writer.record(exchange)
    waiting += 4096 + (exchange.reply?.body.length ?? 0)
    if (waiting < FLUSH_BYTES) continue
    await writer.flush()
    waiting = 0
  }
  await writer.finish()
}

/** A cassette of reads of one operation, each with an id and an answer of its own. */
export async function recordAccounts(path: string, count: number): Promise<Recording> {
  await record(path, accounts(count))
  const answers = loadCassette(path).interactions.map(({ request, reply }) => ({
    path: request.target,
    headers: (reply?.headers ?? []).filter(([name]) => name !== 'Content-Length'),
    body: Buffer.from(reply?.body ?? []).toString('utf8'),
  }))
  return { cassette: path, answers }
}

export function* accounts(count: number): Generator<CapturedExchange> {
  for (let n = 0; n < count; n++) {
    const accountId = `acc_86AtWLjM0YBxc${String(n).padStart(12, '0')}`
    yield read(n, `/v1/accounts/${accountId}`, 'accounts.read', {
      accountId,
      customerRef: `CUS-${n}`,
      phone: `+22507${String(n).padStart(8, '0')}`,
      firstName: 'Awa',
      lastName: 'Koné',
      country: 'CI',
      currency: 'XOF',
      openedAt: instant(T0 + n),
    })
  }
}

/** Documents of about two million characters that the interface does not know. */
export function* documents(count: number): Generator<CapturedExchange> {
  for (let n = 0; n < count; n++) {
    const rows = Array.from({ length: 20_000 }, (_, row) => ({
      row,
      label: `Transfer ${n}-${row} of the month, settled`,
      amount: row * 77,
      state: row % 7 === 0 ? 'pending' : 'settled',
    }))
    yield read(n, `/reports/${n}`, undefined, { rows })
  }
}

/** A successful read as the gateway hands it to its recorder. */
function read(n: number, target: string, operation: string | undefined, answer: object): CapturedExchange {
  const body = Buffer.from(JSON.stringify(answer))
  return {
    startedAt: T0 + n,
    durationMs: 1,
    partner: 'demo',
    lane: CLIENT.id,
    operation,
    origin: operation === undefined ? 'upstream' : 'simulator:default',
    request: {
      method: 'GET',
      target,
      httpVersion: '1.1',
      headers: [
        ['host', '127.0.0.1:8080'],
        ['authorization', 'Bearer token-of-the-benchmark'],
        ['accept', '*/*'],
      ],
      body: new Uint8Array(0),
    },
    reply: {
      status: 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['Cache-Control', 'no-store'],
        ['Content-Length', String(body.length)],
        ['X-Request-Id', `req_${String(n).padStart(16, '0')}`],
        ['X-RateLimit-Limit', '300'],
        ['X-RateLimit-Remaining', '298'],
        ['X-RateLimit-Reset', String(T0 / 1000 + 60)],
        ['RateLimit-Policy', '"other";q=300;w=60'],
        ['RateLimit', '"other";r=298;t=60'],
        ['X-Content-Type-Options', 'nosniff'],
      ],
      body,
    },
  }
}
