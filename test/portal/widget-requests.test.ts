import { describe, expect, it } from 'vitest'
import { CATALOGUE, type ErrorCode } from '../../src/errors/catalogue.ts'
import { refuse } from '../../src/errors/refusal.ts'
import type { StoredSession } from '../../src/operations/widget-session.ts'
import { widgetPages } from '../../src/portal/widget.ts'
import { APPROVED_PHONE, REJECTED_PHONE, useWidgetGateway } from './widget-gateway.ts'

const gateway = useWidgetGateway()

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const FORM = 'application/x-www-form-urlencoded'
const DOSSIER = {
  phone: APPROVED_PHONE,
  firstName: 'Awa',
  lastName: 'Koné',
  birthDay: '12',
  birthMonth: '4',
  birthYear: '1990',
  country: 'CI',
}

describe('the page of a session', () => {
  it('allows nothing from outside and nothing inline but its own, and is kept by nobody', async () => {
    const { url } = await gateway().session({ phone: APPROVED_PHONE })
    const { status, headers, text } = await read(url)
    expect(status).toBe(200)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(headers.get('x-ratelimit-remaining')).not.toBeNull()
    expect(text).not.toMatch(/(?:src|href)="(?!data:|\/kyc\/|#)/)
    expect(text).not.toMatch(/ style="| on[a-z]+="/)
  })

  it.each([
    ['fr-FR, en;q=0.8', '', 'fr'],
    ['en-GH', '', 'en'],
    ['en;q=0.5, fr-CI;q=0.4', '', 'en'],
    ['de-DE, pt;q=0.9', '', 'fr'],
    [undefined, '', 'fr'],
    ['fr', '?lang=en', 'en'],
    ['en', '?lang=de', 'en'],
  ])('with Accept-Language %s and %j is in %s', async (language, query, expected) => {
    const { url } = await gateway().session()
    const { headers, text } = await read(url + query, {
      ...(language !== undefined && { 'accept-language': language }),
    })
    expect(headers.get('content-language')).toBe(expected)
    expect(headers.get('vary')).toBe('Accept-Language')
    expect(text).toContain(`<html lang="${expected}">`)
  })

  it('keeps the language that was asked for on the way to the decision', async () => {
    const { url } = await gateway().session()
    const answer = await send(`${url}?lang=en`, { ...DOSSIER, token: await tokenOf(url) })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(`${new URL(url).pathname}?lang=en`)
  })

  it('says which rule decided', async () => {
    const { url } = await gateway().session()
    await send(url, { ...DOSSIER, phone: REJECTED_PHONE, token: await tokenOf(url) })
    expect((await read(url)).headers.get('x-sandbox-rule')).toBe('kyc-phone-9')
  })
})

describe('concurrent submissions', () => {
  it('make one decision, spend the cap once and all lead to it', async () => {
    const before = await gateway().used()
    const { sessionId, url } = await gateway().session()
    const token = await tokenOf(url)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send(url, { ...DOSSIER, phone: index % 2 === 0 ? APPROVED_PHONE : REJECTED_PHONE, token }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303))
    const { decision } = await gateway().read(sessionId)
    expect((await read(url)).text).toContain(String(decision?.kycId))
    expect((await gateway().used()) - before).toBe(1)
  })
})

describe('a form that is not the page’s own is refused and decides nothing', () => {
  const cases: Record<
    string,
    { fields?: object; headers?: Record<string, string>; body?: string; code: ErrorCode }
  > = {
    'without its token': { fields: { token: '' }, code: 'BAD_REQUEST' },
    'with a token that was made up': { fields: { token: 'A'.repeat(43) }, code: 'BAD_REQUEST' },
    'from another site': { headers: { 'sec-fetch-site': 'cross-site' }, code: 'BAD_REQUEST' },
    'from a sibling of the site': { headers: { 'sec-fetch-site': 'same-site' }, code: 'BAD_REQUEST' },
    'from another origin': { headers: { origin: 'https://evil.example' }, code: 'BAD_REQUEST' },
    'as JSON': { headers: { 'content-type': 'application/json' }, code: 'UNSUPPORTED_MEDIA_TYPE' },
    'as plain text': { headers: { 'content-type': 'text/plain' }, code: 'UNSUPPORTED_MEDIA_TYPE' },
    compressed: { headers: { 'content-encoding': 'gzip' }, code: 'UNSUPPORTED_MEDIA_TYPE' },
    'with a field twice': { body: '&phone=%2B2250700000002', code: 'MALFORMED_BODY' },
    'in another encoding': { body: '&more=%E9', code: 'MALFORMED_BODY' },
    'with a body that is too large': { body: `&more=${'x'.repeat(70_000)}`, code: 'BODY_TOO_LARGE' },
  }

  it.each(Object.entries(cases))('%s', async (_, { fields, headers, body = '', code }) => {
    const { sessionId, url } = await gateway().session()
    const text = new URLSearchParams({ ...DOSSIER, token: await tokenOf(url), ...fields }).toString() + body
    const page = await send(url, text, headers)
    expect(page.status).toBe(CATALOGUE[code].status)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain(`data-code="${code}"`)
    const forMachines = await send(url, text, { ...headers, accept: '*/*' })
    expect(forMachines.headers.get('content-type')).toBe('application/problem+json')
    expect(await forMachines.json()).toMatchObject({ code })
    expect((await gateway().read(sessionId)).decision).toBeUndefined()
  })

  it('with the token of another session', async () => {
    const [one, other] = await Promise.all([gateway().session(), gateway().session()])
    const answer = await send(one.url, { ...DOSSIER, token: await tokenOf(other.url) })
    expect(answer.status).toBe(400)
    expect((await gateway().read(one.sessionId)).decision).toBeUndefined()
  })

  it.each([{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, { origin: 'null' }, {}])(
    'but is taken with %j, as browsers send it from the page',
    async (headers) => {
      const { url } = await gateway().session()
      const origin = 'origin' in headers || 'sec-fetch-site' in headers ? {} : { origin: gateway().url }
      const answer = await send(
        url,
        { ...DOSSIER, token: await tokenOf(url), unknown: '1' },
        { ...headers, ...origin },
      )
      expect(answer.status).toBe(303)
    },
  )
})

describe('a refusal', () => {
  it('of an unknown session is a page in a browser and a problem document elsewhere', async () => {
    for (const id of ['kws_unknown', `kws_${'0'.repeat(31)}-demo`]) {
      const url = `${gateway().url}/kyc/widget/${id}`
      const page = await read(url)
      expect(page.status).toBe(404)
      expect(page.text).toContain('Ce lien n’existe pas')
      expect(page.text).not.toContain(gateway().name)
      const problem = await read(url, { accept: 'application/json, text/html;q=0.9' })
      expect(problem.status).toBe(404)
      expect(JSON.parse(problem.text)).toMatchObject({ code: 'KYC_SESSION_NOT_FOUND' })
    }
  })

  it('of an invalid dossier points into it for a client that is not a browser', async () => {
    const { url } = await gateway().session()
    const answer = await send(url, { ...DOSSIER, country: '', token: await tokenOf(url) }, { accept: '*/*' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '#/country' }],
    })
  })

  it('of an error code that does not exist is a page as well', async () => {
    const page = await read(`${gateway().url}/docs/errors/NO_SUCH_CODE`)
    expect(page.status).toBe(404)
    expect(page.text).toContain('There is no such error code.')
  })
})

describe('a store that cannot be written', () => {
  it('shows the form again with what was typed, as 503 with Retry-After', async () => {
    const session: StoredSession = {
      sessionId: 'kws_x',
      url: 'http://127.0.0.1/kyc/widget/kws_x',
      createdAt: '2026-01-15T09:30:00.000Z',
      expiresAt: '2026-01-15T09:45:00.000Z',
      expiresAtMs: Date.UTC(2026, 0, 15, 9, 45),
      partnerId: 'demo',
    }
    const refusal = refuse('STORE_UNAVAILABLE', 'not now', { retryAfterSeconds: 5 })
    const [, submit] = widgetPages({
      find: async () => ({ found: { kind: 'open', session }, partner: 'Baobab Finance' }),
      decide: async () => ({ kind: 'refused', refusal }),
      sign: (text) => Buffer.from(text),
      publicUrl: () => 'http://127.0.0.1',
    })
    const token = Buffer.from('widget form kws_x').toString('base64url')
    const answer = await submit?.render({
      params: { sessionId: 'kws_x' },
      query: '',
      headers: { accept: BROWSER, 'accept-language': 'en', 'content-type': FORM },
      body: Buffer.from(new URLSearchParams({ ...DOSSIER, token }).toString()),
      requestId: 'req_x',
      viewer: undefined,
      windows: () => [],
      countFailure: async () => undefined,
      now: Date.UTC(2026, 0, 15, 9, 31),
    })
    expect(answer).toMatchObject({ kind: 'page', status: 503, code: 'STORE_UNAVAILABLE' })
    if (answer?.kind !== 'page') throw new Error('expected a page')
    expect(answer.headers['retry-after']).toBe('5')
    expect(String(answer.body)).toContain('Your answers are still here')
    expect(String(answer.body)).toContain('value="Koné"')
  })
})

describe('limits', () => {
  const limited = useWidgetGateway((config) => ({
    ...config,
    caps: [{ product: 'kyc', period: 'day', unit: 'calls', limit: 1 }],
    rateLimits: { ...config.rateLimits, groups: { ...config.rateLimits.groups, other: 8 } },
  }))

  it('a cap that is used up and a full window are explained kindly, each with its status', async () => {
    const first = await limited().session()
    const second = await limited().session()
    expect((await send(first.url, { ...DOSSIER, token: await tokenOf(first.url) })).status).toBe(303)
    const capped = await send(second.url, { ...DOSSIER, token: await tokenOf(second.url) })
    expect(capped.status).toBe(400)
    expect(await capped.text()).toContain('Baobab Finance a atteint son nombre de vérifications')
    expect(capped.headers.get('retry-after')).not.toBeNull()

    let last = await read(second.url)
    for (let i = 0; i < 8 && last.status === 200; i++) last = await read(second.url)
    expect(last.status).toBe(429)
    expect(last.text).toContain('Trop de demandes à la fois')
    expect(last.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(last.text).toContain(`dans ${last.headers.get('retry-after')} secondes`)
  })
})

async function read(url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, { headers: { accept: BROWSER, 'accept-language': '', ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function send(
  url: string,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: BROWSER, 'content-type': FORM, 'accept-language': 'fr', ...headers },
    body: typeof body === 'string' ? body : new URLSearchParams({ ...body }).toString(),
  })
}

async function tokenOf(url: string): Promise<string> {
  return /name="token" value="([^"]+)"/.exec((await read(url)).text)?.[1] ?? ''
}
