import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { exchange, get, post, token, transmit } from '../support/http.ts'

const signingSecret = `whsec_${randomBytes(24).toString('base64')}`
const person = {
  customerRef: 'REF-6f1c0a',
  phone: '+2250758493021',
  firstName: 'Aminata-Unmistakable',
  lastName: 'Zoungrana-Unmistakable',
  email: 'unmistakable@example.com',
  dateOfBirth: '1987-03-19',
}
const documentNumber = 'C0099-UNMISTAKABLE'
const webhookUrl = 'https://partner.example.com/hooks/kept-as-it-is'

let gateway: Gateway
let bearer: string
let sessionId: string
let disk: string
let log: string

// Everything that carries a secret or a personal datum, well and badly, and then a look at what is left of it.
beforeAll(async () => {
  gateway = await startGateway()
  const [first] = gateway.partners
  if (!first) throw new TypeError('no partner')
  bearer = await token(gateway)
  const endpoint = { url: webhookUrl, events: ['*'], signingSecret }
  const key = '8f7a1c36-51b0-4d0b-a3f6-2d1f0c9e7b44'
  expect((await post(gateway, '/v1/webhooks', endpoint, { key })).status).toBe(201)
  expect((await post(gateway, '/v1/webhooks', endpoint, { key })).headers['idempotency-replayed']).toBe(
    'true',
  )
  const other = { ...endpoint, url: 'https://other.example.com/' }
  expect((await post(gateway, '/v1/webhooks', other, { key })).status).toBe(422)
  const refused = [
    await post(gateway, '/v1/webhooks', { ...endpoint, url: 'no url' }),
    await post(gateway, '/v1/webhooks', { ...endpoint, events: [signingSecret] }),
    await post(gateway, '/v1/webhooks', { ...endpoint, [signingSecret.slice(0, 30)]: signingSecret }),
    await post(gateway, '/v1/webhooks', `{"signingSecret":"${signingSecret}"`),
    await post(gateway, '/v1/webhooks', { ...endpoint, signingSecret: `${signingSecret}${'x'.repeat(300)}` }),
  ]
  for (const { status, bytes } of refused) {
    expect(status).toBe(400)
    expect(bytes.toString()).not.toContain(signingSecret)
  }
  expect((await post(gateway, '/v1/accounts/open', person)).status).toBe(201)
  await post(gateway, '/v1/accounts/open', { ...person, phone: `${person.phone}x`, email: '@@' })
  await post(gateway, '/v1/kyc/submit', {
    phone: person.phone,
    firstName: person.firstName,
    document: { type: 'id', number: documentNumber },
  })
  sessionId = (await post(gateway, '/v1/kyc/widget/session', { phone: person.phone })).json.sessionId
  await get(gateway, `/v1/kyc/widget/session/${sessionId}`)
  await get(gateway, `/kyc/widget/${sessionId}`, { token: null })
  await get(gateway, `/v1/score?customerRef=${person.customerRef}`)
  await get(gateway, `/v1/nowhere/${person.email}?phone=${encodeURIComponent(person.phone)}`)
  await exchange(gateway, { client_id: first.secret, client_secret: `${first.secret}-wrong` })
  await exchange(gateway, { client_id: first.secret, client_secret: first.secret })
  await transmit(gateway, 'GET', '/v1/accounts', null, { authorization: `Bearer ${bearer}x` })
  const metrics = await fetch(`${gateway.operatorUrl}/metrics`).then((response) => response.text())
  await gateway.stop()
  disk = everyByte(gateway.dataDir)
  log = gateway.logs() + metrics
})

function everyByte(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
    .join('\n')
}

/** A text in the spellings that it might be written in, and its unkeyed digests. */
function spellings(text: string): string[] {
  const bytes = Buffer.from(text)
  const digests = ['sha256', 'sha1', 'md5', 'sha512'].map((name) => createHash(name).update(text).digest())
  return [
    text,
    encodeURIComponent(text),
    JSON.stringify(text).slice(1, -1),
    ...[bytes, ...digests].flatMap((each) => [
      each.toString('hex'),
      each.toString('base64').replace(/=+$/, ''),
      each.toString('base64url'),
      each.toString('latin1'),
    ]),
  ]
}

it('the search finds what is there: the URL of the webhook is on disk, the operations are in the log', () => {
  expect(disk).toContain(webhookUrl)
  expect(disk).toContain(person.firstName)
  expect(log).toContain('"operation":"webhooks.register"')
  expect(log).toContain('"operation":"kyc.widget.read"')
})

describe('a signing secret is nowhere, not even as a digest', () => {
  it.each(spellings(signingSecret).map((text, index) => [index, text] as const))(
    'spelling %i',
    (_index, text) => {
      expect(disk.includes(text)).toBe(false)
      expect(log.includes(text)).toBe(false)
    },
  )
})

it('a sandbox key is nowhere', () => {
  const secret = gateway.partners[0]?.secret ?? ''
  for (const text of spellings(secret)) expect(log.includes(text) || disk.includes(text)).toBe(false)
})

it('an access token is nowhere', () => {
  for (const part of [bearer, bearer.split('.')[2] ?? '']) {
    expect(log.includes(part) || disk.includes(part)).toBe(false)
  }
})

describe('the log holds no personal datum and nothing that a client made up', () => {
  it.each([...Object.entries(person), ['document number', documentNumber]])('%s', (_name, text) => {
    expect(log).not.toContain(text)
    expect(log).not.toContain(encodeURIComponent(text))
  })

  it('the id of a widget session, which opens its page', () => {
    expect(log).not.toContain(sessionId)
  })

  it('paths and queries', () => {
    expect(log).not.toContain('/v1/nowhere')
    expect(log).not.toContain('customerRef=')
  })
})
