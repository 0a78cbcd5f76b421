import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { assetName } from '../../src/portal/docs/assets.ts'
import { record, replay, type Tape } from '../../src/sandgate.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'

const one = partner('pages')
const directory = temporaryDirectory('pages')
const cassette = join(directory, 'pages.har')
const HTML = { accept: 'text/html,application/xhtml+xml' }
const DOCUMENTS = [
  '/docs',
  `/docs/assets/${await assetName('docs')}`,
  '/docs/errors/RATE_LIMITED',
  '/openapi.json',
  '/.well-known/jwks.json',
  '/.well-known/oauth-authorization-server',
]

type Told = { readonly status: number; readonly headers: Record<string, unknown>; readonly text: string }

async function ask(url: string, method: 'GET' | 'HEAD' | 'POST', init: object = {}): Promise<Told> {
  const { statusCode, headers, body } = await request(url, { method, ...init })
  return { status: statusCode, headers, text: await body.text() }
}

/** A person is sent to the widget's page, fills it in, and reads what came of it; the partner reads it as well. */
async function story(base: string, secret: string, person: Record<string, string>) {
  const form = { client_id: one.keyId, client_secret: secret }
  const token = await fetch(`${base}/auth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token } = (await token.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  const opened = await fetch(`${base}/v1/kyc/widget/session`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ customerRef: `CUS-${crypto.randomUUID()}` }),
  })
  const { sessionId, url } = (await opened.json()) as { sessionId: string; url: string }
  const read = `${base}/v1/kyc/widget/session/${sessionId}`
  const page = await ask(url, 'GET', { headers: HTML })
  const fields = new URLSearchParams({
    token: /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? '',
    phoneChoice: 'other',
    birthDay: '12',
    birthMonth: '4',
    birthYear: '1990',
    country: 'CI',
    ...person,
  })
  const submitted = await ask(url, 'POST', {
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
    body: fields.toString(),
  })
  const shown = await ask(new URL(String(submitted.headers.location), url).href, 'GET', { headers: HTML })
  const decided = await ask(read, 'GET', { headers })
  const probed = await ask(read, 'HEAD', { headers })
  const documents = []
  for (const path of DOCUMENTS) documents.push(await ask(`${base}${path}`, 'GET'))
  return { url, headers, read, page, submitted, shown, decided, probed, documents }
}

const AWA = { firstName: 'Awa', lastName: 'Koné', phone: '+2250700000021' }
const FATOU = { firstName: 'Fatou', lastName: 'Diallo', phone: '+2250712345678' }

let gateway: Gateway
let recorded: Awaited<ReturnType<typeof story>>
let tape: Tape
let replayed: Awaited<ReturnType<typeof story>>
beforeAll(async () => {
  gateway = await startGateway({ partners: [one], config: { recording: { directory } } })
  const operator = (method: string, path: string, body?: string) =>
    fetch(`${gateway.operatorUrl}${path}`, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    })
  await operator('POST', '/recordings', JSON.stringify({ name: 'pages' }))
  recorded = await story(gateway.url, one.secret, AWA)
  expect((await operator('DELETE', '/recordings/pages')).status).toBe(200)
  tape = await replay(cassette)
  replayed = await story(tape.url, 'any', FATOU)
})
afterAll(() => tape.close())

describe('at replay the widget', () => {
  it('shows its page from the tape, at the address of the replay', () => {
    expect(recorded.shown.status).toBe(200)
    expect(replayed.url.startsWith(`${tape.url}/kyc/widget/`)).toBe(true)
    for (const name of ['page', 'submitted', 'shown', 'decided'] as const)
      expect(replayed[name].status, name).toBe(recorded[name].status)
    expect(replayed.page.text).toMatch(/<form[^>]*method="post"/i)
    expect(replayed.shown.text).toBe(recorded.shown.text)
    expect(JSON.parse(replayed.decided.text).decision.outcome).toBe(
      JSON.parse(recorded.decided.text).decision.outcome,
    )
  })

  it('is counted like any other answer of the tape', () => {
    const { interactions } = loadCassette(cassette)
    const widget = interactions.filter(({ operation }) => operation?.startsWith('widget.'))
    expect(widget.map(({ operation }) => operation)).toEqual(['widget.show', 'widget.submit', 'widget.show'])
    expect(tape.misses()).toEqual([])
  })
})

describe('the documents', () => {
  it('are not recorded, and live at replay', async () => {
    for (const [i, { status }] of replayed.documents.entries()) expect(status, DOCUMENTS[i]).toBe(200)
    const targets = loadCassette(cassette).interactions.map(({ request: { target } }) => target)
    expect(targets.filter((target) => DOCUMENTS.includes(target))).toEqual([])
    const other = await replay(cassette)
    const { unused } = await other.close()
    expect(unused.map(({ operation }) => operation)).toEqual([
      'auth.token',
      'kyc.widget.session',
      'widget.show',
      'widget.submit',
      'widget.show',
      'kyc.widget.read',
      'kyc.widget.read',
    ])
  })

  it('are those of the sandbox when a recorder in front of it has recorded them', async () => {
    const out = join(directory, 'documents.har')
    const recorder = await record({ upstream: gateway.url, out, mode: 'all' })
    const told = []
    for (const path of DOCUMENTS) told.push(await ask(`${recorder.url}${path}`, 'GET'))
    await recorder.finish()
    const tape = await replay(out)
    for (const [i, path] of DOCUMENTS.entries()) {
      const { status, headers } = await ask(`${tape.url}${path}`, 'GET')
      expect([path, status, headers['content-type']]).toEqual([path, 200, told[i]?.headers['content-type']])
    }
    const { loaded, unused, missed } = await tape.close()
    expect({ loaded, unused, missed }).toEqual({ loaded: DOCUMENTS.length, unused: [], missed: 0 })
  })

  it('tell the keys and the address of the replay', async () => {
    const metadata = JSON.parse(replayed.documents.at(-1)?.text ?? '')
    expect(metadata.token_endpoint).toBe(`${tape.url}/auth/token`)
    const own = await (await fetch(`${tape.url}/.well-known/jwks.json`)).json()
    expect(JSON.parse(replayed.documents.at(-2)?.text ?? '')).toEqual(own)
  })

  it('have a sign of life beside them, which uses nothing up', async () => {
    expect(await ask(`${tape.url}/livez`, 'GET')).toMatchObject({ status: 200, text: '{"live":true}' })
    expect(tape.misses()).toEqual([])
  })
})

describe('HEAD', () => {
  it('is recorded as it was on the wire, and answered from it', () => {
    const { interactions } = loadCassette(cassette)
    const head = interactions.find(({ request: { method } }) => method === 'HEAD')
    expect(head?.reply?.body).toHaveLength(0)
    expect(recorded.probed.text).toBe('')
    expect(recorded.probed.headers['content-length']).toBe(String(Buffer.byteLength(recorded.decided.text)))
    expect(replayed.probed).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': recorded.probed.headers['content-length'] },
    })
  })

  it('that was not recorded is answered with the head of the GET, as the front door does, and takes no turn', async () => {
    const fresh = await replay(cassette)
    const path = new URL(replayed.url).pathname
    const form = replayed.page.text
    const told: [string, number, number][] = []
    for (const method of ['HEAD', 'HEAD', 'GET', 'HEAD'] as const) {
      const { status, headers, text } = await ask(`${fresh.url}${path}`, method, { headers: HTML })
      told.push([method, status, text.length])
      // What the form led to is not shown before the form was sent.
      expect(headers['content-length']).toBe(String(Buffer.byteLength(form)))
    }
    expect(told).toEqual([
      ['HEAD', 200, 0],
      ['HEAD', 200, 0],
      ['GET', 200, form.length],
      ['HEAD', 200, 0],
    ])
    expect((await ask(`${fresh.url}/kyc/widget/kws_nobody`, 'HEAD', { headers: HTML })).status).toBe(424)
    expect(await fresh.close()).toMatchObject({ missed: 1, repeated: 3, served: 1 })
  })
})
