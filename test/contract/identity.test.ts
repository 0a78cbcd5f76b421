import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { callerFor, get, newCaller, post, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectCommonHeaders, expectProblem } from '../support/problems.ts'
import { INSTANT, id } from '../support/shapes.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: partners(24) })
})

const MISSING_SESSION = `kws_${'0'.repeat(31)}-p1`

describe('POST /v1/kyc/submit', () => {
  it('answers 200 with a decision', async () => {
    const answer = await post(newCaller(gateway), '/v1/kyc/submit', {
      phone: '+2250700000005',
      customerRef: 'CUS-1',
      firstName: 'Awa',
      lastName: 'Koné',
      dateOfBirth: '1990-04-12',
      country: 'CI',
      document: { type: 'national_id', number: 'C0012345678' },
      metadata: { a: 'b' },
    })
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({
      kycId: expect.stringMatching(id('kyc')),
      phone: '+2250700000005',
      customerRef: 'CUS-1',
      outcome: 'approved',
      code: null,
      decidedAt: expect.stringMatching(INSTANT),
    })
  })

  it('needs a phone and nothing else', async () => {
    const answer = await post(newCaller(gateway), '/v1/kyc/submit', { phone: '+2250700000005' })
    expect(Object.keys(answer.json).sort()).toEqual(['code', 'decidedAt', 'kycId', 'outcome', 'phone'])
  })
})

describe('POST /v1/kyb/submit', () => {
  it('answers 200 with a decision', async () => {
    const answer = await post(newCaller(gateway), '/v1/kyb/submit', {
      businessRef: 'BUS-4',
      legalName: 'Baobab SARL',
      registrationNumber: 'CI-ABJ-2020-B-12345',
      taxId: '2012345A',
      country: 'SN',
      metadata: {},
    })
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({
      kybId: expect.stringMatching(id('kyb')),
      businessRef: 'BUS-4',
      outcome: 'approved',
      code: null,
      decidedAt: expect.stringMatching(INSTANT),
    })
  })
})

describe('a KYC widget session', () => {
  it('is created with a URL to open and a life of 15 minutes', async () => {
    const answer = await post(newCaller(gateway), '/v1/kyc/widget/session', {
      customerRef: 'CUS-1',
      phone: '+2250700000005',
      redirectUrl: 'https://partner.example.com/done',
    })
    expect(answer.status).toBe(201)
    expectCommonHeaders(answer)
    const { sessionId, url, createdAt, expiresAt } = answer.json
    expect(Object.keys(answer.json).sort()).toEqual(['createdAt', 'expiresAt', 'sessionId', 'url'])
    expect(sessionId).toMatch(/^kws_[A-Za-z0-9_-]{22,}$/)
    expect(url).toBe(`${gateway.url}/kyc/widget/${sessionId}`)
    expect(createdAt).toMatch(INSTANT)
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(15 * 60_000)
    expect(answer.headers.location).toBe(`/v1/kyc/widget/session/${sessionId}`)
  })

  it('needs no field at all, not even a body', async () => {
    const caller = newCaller(gateway)
    expect((await post(caller, '/v1/kyc/widget/session', {})).status).toBe(201)
    expect((await post(caller, '/v1/kyc/widget/session', undefined)).status).toBe(201)
  })

  it('is read with its customerRef, without its phone, and with its decision once there is one', async () => {
    const caller = newCaller(gateway)
    const created = await post(caller, '/v1/kyc/widget/session', {
      customerRef: 'CUS-7',
      phone: '+2250700000005',
    })
    const open = await get(caller, String(created.headers.location))
    expect(open.status).toBe(200)
    expect(open.json).toEqual({ ...created.json, customerRef: 'CUS-7' })
    const { sessionId } = created.json
    const decided = await post(caller, '/v1/kyc/submit', { phone: '+2250000000009', sessionId })
    const closed = await get(caller, String(created.headers.location))
    expect(closed.json).toEqual({ ...created.json, customerRef: 'CUS-7', decision: decided.json })
  })

  it('takes one decision: a second submission shows the first and spends no cap', async () => {
    const caller = newCaller(gateway)
    const { sessionId } = (await post(caller, '/v1/kyc/widget/session', {})).json
    const first = await post(caller, '/v1/kyc/submit', { phone: '+2250000000009', sessionId })
    expect(first.json).toMatchObject({ outcome: 'rejected', code: 'KYC_REJECTED', sessionId })
    const second = await post(caller, '/v1/kyc/submit', { phone: '+2250000000001', sessionId })
    expect(second.status).toBe(200)
    expect(second.json).toEqual(first.json)
    expect(second.headers['x-sandbox-rule']).toBe(first.headers['x-sandbox-rule'])
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    const { caps } = (await get(caller, '/portal/usage')).json
    expect(caps.find((cap: { product: string }) => cap.product === 'kyc').used).toBe(1)
  })

  it('takes one decision when many arrive at once', async () => {
    const caller = newCaller(gateway)
    const { sessionId } = (await post(caller, '/v1/kyc/widget/session', {})).json
    const answers = await Promise.all(
      ['1', '9', '1', '9', '1', '9'].map((digit) =>
        post(caller, '/v1/kyc/submit', { phone: `+225000000000${digit}`, sessionId }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ json }) => json.kycId)).size).toBe(1)
    const { caps } = (await get(caller, '/portal/usage')).json
    expect(caps.find((cap: { product: string }) => cap.product === 'kyc')).toMatchObject({
      used: 1,
      reserved: 0,
    })
  })

  it('of another tenant is not found, for reading and for a decision', async () => {
    const { json } = await post(newCaller(gateway), '/v1/kyc/widget/session', {})
    const stranger = newCaller(gateway)
    for (const sessionId of [json.sessionId, MISSING_SESSION]) {
      expectProblem(await get(stranger, `/v1/kyc/widget/session/${sessionId}`), 'KYC_SESSION_NOT_FOUND')
      const body = { phone: '+2250700000005', sessionId }
      expectProblem(await post(stranger, '/v1/kyc/submit', body), 'KYC_SESSION_NOT_FOUND')
    }
  })

  it('lives until 15 minutes have passed, and not a second longer', async () => {
    const caller = newCaller(gateway)
    const created = await post(caller, '/v1/kyc/widget/session', {})
    const { sessionId } = created.json
    await gateway.advance(15 * 60 - 5)
    expect((await get(caller, String(created.headers.location))).status).toBe(200)
    await gateway.advance(5)
    expectProblem(await get(caller, String(created.headers.location)), 'KYC_SESSION_EXPIRED')
    const refused = await post(caller, '/v1/kyc/submit', { phone: '+2250700000005', sessionId })
    expectProblem(refused, 'KYC_SESSION_EXPIRED')
    expect(refused.json.resolution).toContain('/v1/kyc/widget/session')
  })

  it('stays 410 for 30 days, decided or not, and its 410 is not kept under the key', async () => {
    const caller = newCaller(gateway)
    const created = await post(caller, '/v1/kyc/widget/session', {})
    const { sessionId } = created.json
    await post(caller, '/v1/kyc/submit', { phone: '+2250700000005', sessionId })
    await gateway.advance(29 * 86_400)
    expectProblem(await get(caller, String(created.headers.location)), 'KYC_SESSION_EXPIRED')
    const key = 'e3f1c8de-5c1c-4f0e-9d6b-0d7d4b6d0a01'
    const body = { phone: '+2250700000005', sessionId }
    const first = await post(caller, '/v1/kyc/submit', body, { key })
    const second = await post(caller, '/v1/kyc/submit', body, { key })
    expectProblem(first, 'KYC_SESSION_EXPIRED')
    expectProblem(second, 'KYC_SESSION_EXPIRED')
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    expect((await post(caller, '/v1/kyc/submit', { phone: '+2250700000006' }, { key })).status).toBe(200)
    // 410 is a refusal: it costs no cap. What was spent was spent 29 days ago.
    const { caps } = (await get(caller, '/portal/usage')).json
    expect(caps.find((cap: { product: string }) => cap.product === 'kyc').used).toBe(1)
  })
})

it.each([
  ['https://partner.example.com/done?x=1#y', 201],
  ['http://localhost:3000/done', 201],
  ['http://127.0.0.1/done', 201],
  ['http://partner.example.com/done', 400],
  ['https://user:secret@partner.example.com/', 400],
  ['javascript:alert(1)', 400],
  ['//partner.example.com/', 400],
  [`https://partner.example.com/${'a'.repeat(2048)}`, 400],
])('a widget session with the redirectUrl %s is answered with %i', async (redirectUrl, status) => {
  const [partner] = gateway.partners
  if (!partner) throw new TypeError('no partner')
  const caller = callerFor(gateway, partner)
  const answer = await post(caller, '/v1/kyc/widget/session', { redirectUrl }, { token: await token(caller) })
  expect(answer.status).toBe(status)
})
