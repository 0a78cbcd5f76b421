import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RATE_LIMIT_GROUPS } from '../../src/config/contract.ts'
import { loadConfig } from '../../src/config/load.ts'
import { startSession } from '../../src/start/recording.ts'
import { sandgate } from '../cli/cassette-fixtures.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { partner, type TestPartner } from '../support/partners.ts'
import { type ForeignClient, type Manners, openForeignSandbox } from './foreign-sandbox.ts'
import { type Got, type Sent, send } from './send.ts'

/** Whoever a test talks to while it is recorded. */
export type Target = { readonly send: (request: Sent) => Promise<Got> }

export const targetAt = (url: string): Target => ({ send: (request) => send(url, request) })

type Tell = (target: Target) => Promise<void>

/** One way to a cassette: a sandbox and who records it. Runs `tell` and returns the path of the cassette. */
export type Way = {
  readonly name: string
  readonly record: (tell: Tell) => Promise<string>
  /** Runs `tell` with a sandbox that starts as the recorded one did, and nobody records it. */
  readonly ask: (tell: Tell) => Promise<void>
}

/** The two clients that every sandbox of these tests knows. */
const ONE: TestPartner = partner('one')
const TWO: TestPartner = partner('two')
export const CLIENTS = [ONE, TWO] as const

const foreign: Readonly<Record<string, ForeignClient>> = Object.fromEntries(
  CLIENTS.map(({ keyId, secret, tenant }) => [keyId, { secret, tenant }]),
)

let directory = ''
let count = 0
/** What a file of tests has made is removed at its end; the next one has a place of its own. */
function place(): string {
  if (!existsSync(directory)) directory = temporaryDirectory('facts')
  return directory
}
const fresh = () => join(place(), `${++count}.har`)

/** Nobody is limited, so that an answer follows from what is asked. */
const LIMITS = {
  rateLimits: {
    groups: Object.fromEntries(Object.keys(RATE_LIMIT_GROUPS).map((group) => [group, 1_000_000])),
  },
  caps: [],
  tokens: { failuresPerIp: 1_000_000 },
}

let running: Promise<Gateway> | undefined
export function frontDoor(): Promise<Gateway> {
  running ??= startGateway({
    runs: 'here',
    partners: CLIENTS,
    clock: 'system',
    config: { ...LIMITS, recording: { directory: place() } },
  })
  // It ends with the file of tests that has started it.
  void running.then(({ exited }) => exited.then(() => (running = undefined)))
  return running
}

async function recorded(upstream: string, tell: Tell): Promise<string> {
  const config = loadConfig()
  if (!config.ok) throw new Error('the built-in configuration is valid')
  const out = fresh()
  const session = await startSession({
    mode: 'all',
    out,
    port: 0,
    upstream: new URL(upstream),
    config: config.config,
  })
  await tell(targetAt(session.url)).finally(session.finish)
  return out
}

/** A browser's HAR of what was said, made a cassette. */
async function imported(upstream: string, tell: Tell): Promise<string> {
  const entries: object[] = []
  let at = Date.now()
  const target: Target = {
    send: async (request) => {
      const got = await send(upstream, request)
      at += 5
      entries.push(entryOf(upstream, request, got, at))
      return got
    },
  }
  await tell(target)
  const har = fresh()
  const out = fresh()
  writeFileSync(
    har,
    JSON.stringify({ log: { version: '1.2', creator: { name: 'x', version: '1' }, entries } }),
  )
  const { code, err } = await sandgate(['cassette', 'import', har, '--out', out])
  if (code !== 0) throw new Error(err)
  return out
}

function entryOf(origin: string, { method, path, headers, body }: Sent, got: Got, at: number): object {
  const lines = (list: readonly (readonly [string, string])[]) =>
    list.map(([name, value]) => ({ name, value }))
  const bytes = body === undefined ? undefined : Buffer.from(body)
  return {
    startedDateTime: new Date(at).toISOString(),
    time: 1,
    request: {
      method,
      url: origin + path,
      httpVersion: 'HTTP/1.1',
      headers: lines(headers),
      ...(bytes && { postData: { text: bytes.toString('base64'), encoding: 'base64' } }),
    },
    response: {
      status: got.status,
      headers: lines(got.headers),
      content: { size: got.text.length, text: got.text },
    },
  }
}

async function atTheFrontDoor(tell: Tell): Promise<string> {
  const gateway = await frontDoor()
  const name = `story-${++count}`
  const operator = (method: string, path: string, body?: object) =>
    send(gateway.operatorUrl, {
      method,
      path,
      headers: body ? [['content-type', 'application/json']] : [],
      ...(body && { body: JSON.stringify(body) }),
    })
  const started = await operator('POST', '/recordings', { name, partner: null })
  if (started.status !== 201) throw new Error(started.text)
  await tell(targetAt(gateway.url))
  await operator('DELETE', `/recordings/${name}`)
  return join(place(), `${name}.har`)
}

async function withForeign<T>(manners: Manners, use: (url: string) => Promise<T>): Promise<T> {
  const sandbox = await openForeignSandbox(manners, foreign)
  return use(sandbox.url).finally(sandbox.close)
}

type Recorder = (upstream: string, tell: Tell) => Promise<string>

const ofThisProduct = (record: Recorder): Omit<Way, 'name'> => ({
  record: async (tell) => record((await frontDoor()).url, tell),
  ask: async (tell) => tell(targetAt((await frontDoor()).url)),
})

const ofForeign = (manners: Manners, record: Recorder): Omit<Way, 'name'> => ({
  record: (tell) => withForeign(manners, (url) => record(url, tell)),
  ask: (tell) => withForeign(manners, (url) => tell(targetAt(url))),
})

export const STRICT: Way = { name: 'record, of a strict sandbox', ...ofForeign('strict', recorded) }
export const LENIENT: Way = { name: 'record, of a lenient sandbox', ...ofForeign('lenient', recorded) }

/** Every way, for the sandboxes that it can be used with. */
export const WAYS: readonly Way[] = [
  { name: 'the front door', ...ofThisProduct((_, tell) => atTheFrontDoor(tell)) },
  { name: 'record, of this product', ...ofThisProduct(recorded) },
  STRICT,
  LENIENT,
  { name: 'import, of this product', ...ofThisProduct(imported) },
  { name: 'import, of a strict sandbox', ...ofForeign('strict', imported) },
]
