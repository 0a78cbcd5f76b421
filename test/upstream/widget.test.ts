import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { endAfterEachTest, startFront } from './front.ts'
import { answer, scripted } from './scripted.ts'

endAfterEachTest()

const HTML = { accept: 'text/html' }
const FORM = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }

describe('the page of a session that the upstream has made', () => {
  it('is passed on as it is, with the browser and without any credentials', async () => {
    const { url, requests } = await scripted((socket, { method }) =>
      socket.write(
        method === 'GET'
          ? answer(200, '<h1>theirs</h1>', ['Content-Type: text/html', 'Set-Cookie: s=1'])
          : answer(303, '', ['Location: /kyc/widget/kws_theirs']),
      ),
    )
    const front = await startFront(url)
    const page = `${front.url}/kyc/widget/kws_theirs`
    const shown = await request(page, { headers: { ...HTML, cookie: 's=1', origin: front.url } })
    expect(await shown.body.text()).toBe('<h1>theirs</h1>')
    expect(shown.headers['set-cookie']).toBe('s=1')
    const sent = await request(page, {
      method: 'POST',
      headers: FORM,
      body: 'phone=%2B2250700000001&token=x',
    })
    expect([sent.statusCode, sent.headers.location]).toEqual([303, '/kyc/widget/kws_theirs'])
    expect(requests.map(({ method, target, body }) => [method, target, body])).toEqual([
      ['GET', '/kyc/widget/kws_theirs', ''],
      ['POST', '/kyc/widget/kws_theirs', 'phone=%2B2250700000001&token=x'],
    ])
    expect(requests[0]?.header('cookie')).toEqual(['s=1'])
    expect(requests[0]?.header('origin')).toEqual([front.url])
    expect(requests.flatMap((each) => each.header('authorization'))).toEqual([])
  })

  it('is a page of ours that asks for patience when the upstream is away', async () => {
    const front = await startFront('http://127.0.0.1:9')
    const shown = await request(`${front.url}/kyc/widget/kws_theirs`, { headers: HTML })
    expect(shown.statusCode).toBe(502)
    expect(shown.headers['content-type']).toContain('text/html')
    expect(await shown.body.text()).not.toContain('127.0.0.1:9')
  })
})

describe('the page of a session that is ours', () => {
  const SETTINGS = { 'decisions.from': 'simulator', 'decisions.operations': { 'kyc.submit': 'upstream' } }
  const DECIDED = JSON.stringify({
    kycId: 'kyc_theirs',
    phone: '+2250700000001',
    outcome: 'approved',
    code: null,
  })

  async function session(script: Parameters<typeof scripted>[0]) {
    const { url, requests } = await scripted(script)
    const front = await startFront(url, { settings: SETTINGS })
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const made = JSON.parse((await front.send('POST', '/v1/kyc/widget/session', headers, '{}')).body)
    const submit = async () => {
      const shown = await (await request(made.url, { headers: HTML })).body.text()
      const token = /name="token" value="([^"]+)"/.exec(shown)?.[1] ?? ''
      const person = { phone: '+2250700000001', firstName: 'Awa', lastName: 'Koné', country: 'CI' }
      const birth = { birthDay: '2', birthMonth: '3', birthYear: '1990' }
      const form = new URLSearchParams({ token, ...person, ...birth })
      const sent = await request(made.url, { method: 'POST', headers: FORM, body: form.toString() })
      await sent.body.text()
      return sent.statusCode
    }
    return { front, requests, made, submit }
  }

  it('is decided by the upstream, once, under a key that is made of the session', async () => {
    const { requests, made, submit, front } = await session(
      (socket) => void socket.write(answer(200, DECIDED)),
    )
    expect(await submit()).toBe(303)
    const shown = await (
      await request(made.url, { headers: { ...HTML, 'accept-language': 'en' } })
    ).body.text()
    expect(shown).not.toContain('name="token"')
    const read = JSON.parse((await front.get(`/v1/kyc/widget/session/${made.sessionId}`)).body)
    expect(read.decision).toMatchObject({ kycId: 'kyc_theirs', outcome: 'approved' })
    expect(requests).toHaveLength(1)
    expect(requests[0]?.header('idempotency-key')[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    // The session is known to us alone.
    expect(JSON.parse(requests[0]?.body ?? '')).not.toHaveProperty('sessionId')
  })

  it('is asked under the same key again when nobody knows what the first attempt has come to', async () => {
    const { requests, submit } = await session((socket, _request, n) => {
      if (n === 0) socket.resetAndDestroy()
      else socket.write(answer(200, DECIDED))
    })
    expect(await submit()).toBe(502)
    expect(await submit()).toBe(303)
    const keys = requests.map((each) => each.header('idempotency-key')[0])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })
})
