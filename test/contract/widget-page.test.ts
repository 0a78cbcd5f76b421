import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, post, type Reply, transmit } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { expectCommonHeaders } from '../support/problems.ts'

const capped = partner('capped', { caps: [{ product: 'kyc', period: 'day', unit: 'calls', limit: 1 }] })

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: [capped, ...partners(12)] })
  expect(gateway.nextPartner()).toBe(capped)
})

const HTML = { accept: 'text/html,application/xhtml+xml' }

async function session(caller: Caller, body: object = {}): Promise<{ path: string; sessionId: string }> {
  const { sessionId, url } = (await post(caller, '/v1/kyc/widget/session', body)).json
  return { sessionId, path: new URL(url).pathname }
}
const open = (caller: Caller, path: string) => transmit(caller, 'GET', path, null, HTML)

/** Fills in the form of a page as a browser would: its hidden fields come along, and so do its cookies. */
async function submit(caller: Caller, page: Reply, path: string, phone: string): Promise<Reply> {
  const fields = new URLSearchParams()
  for (const [tag] of page.bytes.toString().matchAll(/<input[^>]*type="?hidden"?[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1]
    if (name) fields.set(name, /value="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  const birth = { birthDay: '12', birthMonth: '4', birthYear: '1990' }
  const person = { phone, firstName: 'Awa', lastName: 'Koné', country: 'CI', ...birth }
  for (const [name, value] of Object.entries(person)) fields.set(name, value)
  const action =
    /<form[^>]*action="([^"]*)"/.exec(page.bytes.toString())?.[1]?.replaceAll('&amp;', '&') ?? path
  const cookie = page.headers['set-cookie']?.split(';')[0]
  const answer = await transmit(caller, 'POST', action, Buffer.from(fields.toString()), {
    ...HTML,
    'content-type': 'application/x-www-form-urlencoded',
    ...(cookie && { cookie }),
  })
  // A browser follows to the page that shows the decision, so that reloading it submits nothing again.
  return answer.status === 303 ? open(caller, String(answer.headers.location)) : answer
}

const decisionOf = async (caller: Caller, sessionId: string) =>
  (await get(caller, `/v1/kyc/widget/session/${sessionId}`)).json.decision

describe('the page behind the URL of a session', () => {
  it('shows a form without a token, framed by nobody and cached nowhere', async () => {
    const caller = newCaller(gateway)
    const { path } = await session(caller)
    const page = await open(caller, path)
    expect(page.status).toBe(200)
    expectCommonHeaders(page)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.bytes.toString()).toMatch(/<form[^>]*method="post"/i)
  })

  it('is counted per client IP in other', async () => {
    const caller = newCaller(gateway)
    const { path } = await session(caller)
    const page = await open(caller, path)
    expect(page.headers['ratelimit-policy']).toBe('"other";q=300;w=60')
    expect(page.headers['x-ratelimit-remaining']).toBe('299')
  })

  it('shows nothing of what was prefilled unmasked', async () => {
    const caller = newCaller(gateway)
    const { path } = await session(caller, { phone: '+2250758493021', customerRef: 'REF-SECRET' })
    const text = (await open(caller, path)).bytes.toString()
    expect(text).not.toContain('0758493021')
    expect(text).not.toContain('58493')
    expect(text).not.toContain('REF-SECRET')
  })

  it.each([
    ['+2250000000001', 'approved'],
    ['+2250000000009', 'rejected'],
  ])('decides %s as %s, once: a second submission shows the first decision', async (phone, outcome) => {
    const caller = newCaller(gateway)
    const { path, sessionId } = await session(caller, { customerRef: 'CUS-1' })
    const form = await open(caller, path)
    const decided = await submit(caller, form, path, phone)
    expect(decided.status).toBe(200)
    expectCommonHeaders(decided)
    const decision = await decisionOf(caller, sessionId)
    expect(decision).toMatchObject({ outcome, phone, sessionId, customerRef: 'CUS-1' })
    const other = phone.endsWith('1') ? '+2250000000009' : '+2250000000001'
    const second = await submit(caller, form, path, other)
    expect(second.status).toBe(200)
    expect(await decisionOf(caller, sessionId)).toEqual(decision)
    for (const page of [decided, second, await open(caller, path)]) {
      expect(page.bytes.toString()).toContain(decision.kycId)
      expect(page.bytes.toString()).not.toMatch(/<form[^>]*method="post"/i)
    }
    const { caps } = (await get(caller, '/portal/usage')).json
    expect(caps.find(({ product }: { product: string }) => product === 'kyc').used).toBe(1)
  })

  it('shows the form again for a phone that is none, and decides nothing', async () => {
    const caller = newCaller(gateway)
    const { path, sessionId } = await session(caller)
    const again = await submit(caller, await open(caller, path), path, '<b>0700</b>')
    expect(again.status).toBe(400)
    expect(again.bytes.toString()).toMatch(/<form[^>]*method="post"/i)
    expect(again.bytes.toString()).not.toContain('<b>0700')
    expect(await decisionOf(caller, sessionId)).toBeUndefined()
  })

  it('spends the cap of the partner, and takes no decision beyond it', async () => {
    const caller = { gateway, partner: capped, from: gateway.nextAddress() }
    const [one, two] = [await session(caller), await session(caller)]
    await submit(caller, await open(caller, one.path), one.path, '+2250000000001')
    const refused = await submit(caller, await open(caller, two.path), two.path, '+2250000000001')
    expect(refused.status).toBe(400)
    expect(await decisionOf(caller, two.sessionId)).toBeUndefined()
  })

  it('of a session that is unknown is 404, and of one that has expired 410', async () => {
    const caller = newCaller(gateway)
    expect((await open(caller, '/kyc/widget/kws_x')).status).toBe(404)
    const { path } = await session(caller)
    const form = await open(caller, path)
    await gateway.advance(15 * 60)
    expect((await open(caller, path)).status).toBe(410)
    const late = await submit(caller, form, path, '+2250000000001')
    expect(late.status).toBe(410)
    expectCommonHeaders(late)
  })
})
