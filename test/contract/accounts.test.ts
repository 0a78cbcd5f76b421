import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, newCaller, post, send } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectCommonHeaders, expectProblem } from '../support/problems.ts'
import { INSTANT } from '../support/shapes.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: partners(12) })
})

const whole = {
  customerRef: 'CUS:1.a_B-9',
  phone: '+2250700000001',
  firstName: 'Awa',
  lastName: 'Koné',
  email: 'awa.kone@example.com',
  dateOfBirth: '1990-04-12',
  country: 'CI',
  metadata: { branch: 'Plateau', empty: '' },
}
const least = { customerRef: 'CUS-2', phone: '+2250700000002', firstName: 'A', lastName: 'B' }

describe('POST /v1/accounts/open', () => {
  it('answers 201 with the account, all that was sent, and its Location', async () => {
    const opened = await post(newCaller(gateway), '/v1/accounts/open', whole)
    expect(opened.status).toBe(201)
    expectCommonHeaders(opened)
    expect(opened.headers['content-type']).toBe('application/json')
    expect(opened.headers['cache-control']).toBe('no-store')
    expect(opened.json).toEqual({
      accountId: expect.stringMatching(/^acc_[A-Za-z0-9_-]{16,}$/),
      ...whole,
      currency: 'XOF',
      openedAt: expect.stringMatching(INSTANT),
    })
    expect(opened.headers.location).toBe(`/v1/accounts/${opened.json.accountId}`)
  })

  it('leaves absent optional fields out of the answer', async () => {
    const opened = await post(newCaller(gateway), '/v1/accounts/open', least)
    expect(Object.keys(opened.json).sort()).toEqual(
      ['accountId', 'currency', 'openedAt', ...Object.keys(least)].sort(),
    )
  })

  it('opens two accounts for the same customerRef sent twice under two keys', async () => {
    const caller = newCaller(gateway)
    const first = await post(caller, '/v1/accounts/open', least)
    const second = await post(caller, '/v1/accounts/open', least)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.json.accountId).not.toBe(first.json.accountId)
  })
})

describe('GET /v1/accounts/{accountId}', () => {
  it('answers what was created, by the Location of its creation', async () => {
    const caller = newCaller(gateway)
    const opened = await post(caller, '/v1/accounts/open', whole)
    const read = await get(caller, String(opened.headers.location))
    expect(read.status).toBe(200)
    expect(read.json).toEqual(opened.json)
  })

  it('answers HEAD with the headers of GET, without its body', async () => {
    const caller = newCaller(gateway)
    const { headers } = await post(caller, '/v1/accounts/open', whole)
    const read = await get(caller, String(headers.location))
    const head = await send(caller, 'HEAD', String(headers.location), undefined)
    expect(head.status).toBe(200)
    expect(head.bytes).toHaveLength(0)
    expect(head.headers['content-length']).toBe(String(read.bytes.length))
    expect(head.headers['content-type']).toBe('application/json')
    // It spends like GET.
    expect(Number(head.headers['x-ratelimit-remaining'])).toBe(
      Number(read.headers['x-ratelimit-remaining']) - 1,
    )
  })

  it("makes another tenant's account indistinguishable from a missing one", async () => {
    const opened = await post(newCaller(gateway), '/v1/accounts/open', whole)
    const stranger = newCaller(gateway)
    const foreign = await get(stranger, String(opened.headers.location))
    const missing = await get(stranger, '/v1/accounts/acc_0000000000000000000000000')
    expectProblem(foreign, 'ACCOUNT_NOT_FOUND')
    expectProblem(missing, 'ACCOUNT_NOT_FOUND')
    const { requestId: _f, instance: _g, ...rest } = foreign.json
    const { requestId: _m, instance: _n, ...same } = missing.json
    expect(rest).toEqual(same)
  })

  it.each([
    ['a text that is no identifier', 'x'],
    ['an identifier of another kind', 'wh_0000000000000000000000000'],
  ])('answers 404 for %s', async (_what, id) => {
    expectProblem(await get(gateway, `/v1/accounts/${id}`), 'ACCOUNT_NOT_FOUND')
  })

  it('answers 404, not 405, for a segment that is longer than any identifier', async () => {
    expectProblem(await get(gateway, `/v1/accounts/acc_${'a'.repeat(400)}`), 'NOT_FOUND')
  })
})

describe('GET /v1/accounts', () => {
  it('lists the accounts of the tenant newest first, a page at a time', async () => {
    const caller = newCaller(gateway)
    const ids: string[] = []
    for (let i = 0; i < 23; i++) {
      ids.unshift((await post(caller, '/v1/accounts/open', least)).json.accountId)
    }
    const first = await get(caller, '/v1/accounts')
    expect(first.json.items.map((item: { accountId: string }) => item.accountId)).toEqual(ids.slice(0, 20))
    expect(Object.keys(first.json).sort()).toEqual(['items', 'nextCursor'])
    const second = await get(caller, `/v1/accounts?limit=2&cursor=${first.json.nextCursor}`)
    expect(second.json.items.map((item: { accountId: string }) => item.accountId)).toEqual(ids.slice(20, 22))
    const third = await get(caller, `/v1/accounts?limit=100&cursor=${second.json.nextCursor}`)
    expect(third.json.items.map((item: { accountId: string }) => item.accountId)).toEqual(ids.slice(22))
    expect(third.json.nextCursor).toBeNull()
  })

  it('shows a tenant nothing of another', async () => {
    await post(newCaller(gateway), '/v1/accounts/open', whole)
    expect((await get(newCaller(gateway), '/v1/accounts')).json).toEqual({ items: [], nextCursor: null })
  })

  it.each([
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=2.0',
    'limit=1e1',
    'limit=',
    'cursor=x',
    'cursor=',
    'cursor=d2hfMDAw',
    'limit=1&limit=1',
    'page=2',
  ])('refuses the query %s', async (query) => {
    const refused = await get(gateway, `/v1/accounts?${query}`)
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(refused.json.errors[0].parameter).toBe(query.slice(0, query.indexOf('=')))
  })
})
