import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import type { CapturedExchange } from '../../src/cassettes/interaction.ts'
import { bodyDigest } from '../../src/cassettes/redaction/body-digest.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { startSession } from '../../src/start/recording.ts'
import { type ReplayGateway, startReplay } from '../../src/start/replay.ts'
import { exchange, HEADER, scratch } from '../cassettes/recording-fixtures.ts'
import { startUpstream } from '../recorder/upstream.ts'
import { cassetteOf } from './cassette-fixtures.ts'

const IDEMPOTENT = ['Idempotency-Key', '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10'] as const
const TOKEN = ['Authorization', 'Bearer of-an-exchange-that-was-not-recorded'] as const
const MB = 1024 * 1024
const directory = scratch()
const loaded = loadConfig({ file: null })
if (!loaded.ok) throw new Error('the built-in configuration is good')
const { config } = loaded

/** What a sandbox with other bounds than ours has taken: a file of a customer. */
function upload(body: Uint8Array, answer: string, more: Partial<CapturedExchange> = {}): CapturedExchange {
  const type = [['Content-Type', 'application/octet-stream']] as const
  const one = exchange({ target: '/v1/documents', headers: type, body, reply: answer, replyHeaders: [] })
  return { ...one, ...more }
}

async function replaying(exchanges: readonly CapturedExchange[]): Promise<ReplayGateway> {
  const cassette = cassetteOf(exchanges)
  const logger = createLogger({ requests: false, format: 'off' })
  const gateway = await startReplay({ load: () => [cassette], config, partners: 'any', logger })
  onTestFinished(gateway.close)
  return gateway
}

/** Sends a body, in pieces so that its length is not announced when it is a list. */
async function send(url: string, body: Buffer | readonly Buffer[], path = '/v1/documents') {
  const whole = Buffer.isBuffer(body)
  const req = request(new URL(path, url), {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      ...(whole && { 'content-length': body.length }),
    },
  })
  for (const piece of whole ? [body] : body) if (!req.write(piece)) await once(req, 'drain')
  req.end()
  const [res] = (await once(req, 'response')) as [import('node:http').IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of res) chunks.push(chunk as Buffer)
  return { status: res.statusCode, text: Buffer.concat(chunks).toString() }
}

/** Words that no other body has, of so many bytes. */
function text(length: number, seed: string): Buffer {
  const line = createHash('sha256').update(seed).digest('hex').replaceAll(/[0-9]/g, ' ')
  return Buffer.from(`${line}\n`.repeat(Math.ceil(length / 65))).subarray(0, length)
}

describe('a body that is longer than the edge takes', () => {
  it('is matched as a whole, and one that differs in its last byte is another one', async () => {
    const [one, other] = [text(300_000, 'a'), text(300_000, 'b')]
    const gateway = await replaying([upload(one, 'one'), upload(other, 'other')])
    expect(await send(gateway.url, other)).toEqual({ status: 200, text: 'other' })
    expect(await send(gateway.url, [one.subarray(0, 9), one.subarray(9)])).toEqual({
      status: 200,
      text: 'one',
    })
    const changed = Buffer.from(one)
    changed[changed.length - 1] = 0x21
    expect((await send(gateway.url, changed)).status).toBe(424)
    expect(gateway.ledger()).toMatchObject({ served: 2, missed: 1, unused: [] })
  })

  it('and than what is held is matched by its length and digest', async () => {
    const body = text(16 * MB + 1, 'long')
    const recorded = upload(Buffer.from(bodyDigest(body)), 'long')
    const gateway = await replaying([recorded])
    expect(await send(gateway.url, body)).toEqual({ status: 200, text: 'long' })
    expect(gateway.ledger()).toMatchObject({ served: 1, missed: 0 })
    expect((await send(gateway.url, [body, Buffer.from('!')])).status).toBe(424)
  })

  it('of an operation is answered as it was recorded, and else refused as ever', async () => {
    const json = [['Content-Type', 'application/json']] as const
    const submit = (length: number) => ({
      phone: '+2250712345678',
      metadata: { note: text(length, 'd').toString() },
    })
    const recorded = exchange({
      ...{
        operation: 'kyc.submit',
        target: '/v1/kyc/submit',
        headers: [IDEMPOTENT, TOKEN],
        body: submit(90_000),
      },
      ...{ replyHeaders: json, reply: { kycId: 'kyc_1VhYx3kQm4Zq9TtB2nR7wLc1d', outcome: 'approved' } },
    })
    const gateway = await replaying([recorded])
    const form = new URLSearchParams({ client_id: 'key_demo', client_secret: 'any' })
    const granted = await fetch(`${gateway.url}/auth/token`, { method: 'POST', body: form })
    const { access_token } = (await granted.json()) as { access_token: string }
    const ask = async (length: number) => {
      const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${gateway.url}/v1/kyc/submit`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': randomUUID() },
        body: JSON.stringify(submit(length)),
      })
      return [answer.status, (await answer.json()) as object] as const
    }
    expect(await ask(90_000)).toMatchObject([200, { outcome: 'approved' }])
    expect(await ask(80_000)).toMatchObject([413, { code: 'BODY_TOO_LARGE' }])
  })

  it('waits for room when too many come at once, and those that are held are answered', async () => {
    // In a packing that nothing here unpacks, which is seen at once.
    const body = Buffer.alloc(15 * MB)
    body.write('\x28\xb5\x2f\xfd', 'latin1')
    const gateway = await replaying([1, 2, 3, 4, 5, 6].map(() => upload(body, 'many')))
    // Five of them are 75 MB: more than are held together. The last byte of each comes when all are nearly here.
    let isNear = () => {}
    const near = new Promise<void>((resolve) => {
      isNear = resolve
    })
    let begun = 0
    const one = async () => {
      const req = request(new URL('/v1/documents', gateway.url), {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
      })
      req.on('error', () => {})
      if (!req.write(body.subarray(0, -1))) await once(req, 'drain')
      if (++begun === 5) isNear()
      await near
      await wait(200)
      req.end(body.subarray(-1))
      const [res] = (await once(req, 'response')) as [import('node:http').IncomingMessage]
      res.resume()
      return res.statusCode
    }
    const statuses = await Promise.all([1, 2, 3, 4, 5].map(one))
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3)
    // Their room is free again.
    expect((await send(gateway.url, body)).status).toBe(200)
  })

  it('is passed on and recorded by a recording that goes on with a cassette', async () => {
    const path = join(directory, 'goes-on.har')
    writeHar(path, cassetteOf([upload(Buffer.from('x'), 'short')]), createSecrets())
    const upstream = await startUpstream((req, res) => req.resume().on('end', () => res.end('taken')))
    const options = { out: path, upstream: upstream.url, port: 0, config } as const
    const body = text(200_000, 'goes on')
    const first = await startSession({ ...options, mode: 'new_episodes' })
    expect(await send(first.url, body)).toEqual({ status: 200, text: 'taken' })
    await first.finish()
    const second = await startSession({ ...options, mode: 'none' })
    onTestFinished(async () => void (await second.finish()))
    expect(await send(second.url, body)).toEqual({ status: 200, text: 'taken' })
    expect(HEADER.origin).not.toBe(upstream.url.origin)
  })
})
