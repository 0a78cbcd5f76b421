import { describe, expect, it } from 'vitest'
import { FORM, newVisitor, usePortalGateway } from './portal-gateway.ts'

const gateway = usePortalGateway()
const signedIn = async () => {
  const partner = gateway().nextPartner()
  const visitor = newVisitor(gateway().url)
  await visitor.signIn(partner)
  return { partner, visitor }
}

describe('signing in', () => {
  it('leads to the page by a cookie that only the portal gets and no script reads', async () => {
    const partner = gateway().nextPartner()
    const answer = await newVisitor(gateway().url).signIn(partner)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/portal/usage')
    const [cookie = ''] = answer.headers.getSetCookie()
    expect(cookie).toMatch(
      /^sandgate_portal=[A-Za-z0-9_.-]+; Path=\/portal; Max-Age=28800; HttpOnly; SameSite=Lax$/,
    )
    expect(cookie).not.toContain(partner.secret)
  })

  it('takes a key that was copied with blanks around it', async () => {
    const { keyId, secret } = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    const token = await visitor.formToken('/portal/sign-in')
    const answer = await visitor.post('/portal/sign-in', { keyId: ` ${keyId}\n`, key: `\t${secret} `, token })
    expect(answer.status).toBe(303)
  })

  it('with the sandbox key in both fields works, and a wrong one is never shown again', async () => {
    const { secret } = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    const token = await visitor.formToken('/portal/sign-in')
    expect((await visitor.post('/portal/sign-in', { keyId: secret, key: secret, token })).status).toBe(303)
    const wrong = await visitor.post('/portal/sign-in', { keyId: `${secret}x`, key: secret, token })
    expect(wrong.status).toBe(401)
    expect(await wrong.text()).not.toContain(secret)
  })

  it('spends nothing of the token exchange’s window, however often it is right', async () => {
    const partner = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    for (let i = 0; i < 12; i++) {
      visitor.cookies.delete('sandgate_portal')
      expect((await visitor.signIn(partner)).status).toBe(303)
    }
    const body = new URLSearchParams({ client_id: partner.keyId, client_secret: partner.secret })
    const exchange = await fetch(`${gateway().url}/auth/token`, { method: 'POST', body })
    expect(exchange.status).toBe(200)
    expect(exchange.headers.get('x-ratelimit-remaining')).toBe('9')
  })

  it('that fails shares the windows of the token exchange, and a full one never keeps the right key out', async () => {
    const { keyId, secret } = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    const wrongExchange = () => {
      const body = new URLSearchParams({ client_id: keyId, client_secret: 'sk_sandbox_wrong' })
      return fetch(`${gateway().url}/auth/token`, { method: 'POST', body })
    }
    for (let i = 0; i < 5; i++) expect((await wrongExchange()).status).toBe(401)
    const token = await visitor.formToken('/portal/sign-in')
    const guess = () => visitor.post('/portal/sign-in', { keyId, key: 'sk_sandbox_wrong', token })
    for (let i = 0; i < 5; i++) {
      const answer = await guess()
      expect(answer.status).toBe(401)
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(4 - i))
    }
    const full = await guess()
    expect(full.status).toBe(429)
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await full.text()).toContain('Too many wrong attempts')
    expect((await wrongExchange()).status).toBe(429)
    expect((await visitor.post('/portal/sign-in', { keyId, key: secret, token })).status).toBe(303)
  })

  it('answers an unknown key and a wrong secret alike', async () => {
    const { keyId } = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    const token = await visitor.formToken('/portal/sign-in')
    const texts = []
    for (const id of [keyId, 'key_nobody']) {
      const answer = await visitor.post('/portal/sign-in', { keyId: id, key: 'sk_sandbox_wrong', token })
      expect(answer.status).toBe(401)
      texts.push((await answer.text()).replaceAll(id, ''))
    }
    expect(texts[0]).toBe(texts[1])
  })

  it('says of what looks like a live key that it does, and never shows it again', async () => {
    const { keyId } = gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    const token = await visitor.formToken('/portal/sign-in')
    for (const fields of [
      { keyId, key: 'sk_live_canary51Hx' },
      { keyId: 'sk_live_canary51Hx', key: 'sk_sandbox_wrong' },
    ]) {
      const answer = await visitor.post('/portal/sign-in', { ...fields, token })
      expect(answer.status).toBe(401)
      const text = await answer.text()
      expect(text).toContain('looks like somebody’s live key')
      expect(text).not.toContain('canary51Hx')
    }
  })

  it('keeps the language and the request that was looked for', async () => {
    const visitor = newVisitor(gateway().url)
    const first = await visitor.get('/portal/usage?lang=fr&request=req_abc&next=https://evil.example')
    expect(first.headers.get('location')).toBe('/portal/sign-in?lang=fr&request=req_abc')
    const page = await (await visitor.get('/portal/sign-in?lang=fr&request=req_abc')).text()
    expect(page).toContain('action="/portal/sign-in?lang=fr&amp;request=req_abc"')
  })

  it('asks for what is missing and counts no guess', async () => {
    const visitor = newVisitor(gateway().url)
    const token = await visitor.formToken('/portal/sign-in')
    const answer = await visitor.post('/portal/sign-in', { keyId: 'key_x', key: '', token })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('ratelimit')).toContain('"other"')
    expect(await answer.text()).toContain('value="key_x"')
  })
})

describe('a sign-in form is refused and nobody signed in', () => {
  const cases: Record<string, { headers?: Record<string, string>; token?: string; status: number }> = {
    'without its token': { token: '', status: 400 },
    'with a token that was made up': { token: 'A'.repeat(43), status: 400 },
    'from another site': { headers: { 'sec-fetch-site': 'cross-site' }, status: 400 },
    'from a sibling of the site': { headers: { 'sec-fetch-site': 'same-site' }, status: 400 },
    'from another origin': { headers: { origin: 'https://evil.example' }, status: 400 },
    'from another origin, though the browser called it same-origin': {
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      status: 400,
    },
    'as JSON': { headers: { 'content-type': 'application/json' }, status: 415 },
    'as plain text': { headers: { 'content-type': 'text/plain' }, status: 415 },
    compressed: { headers: { 'content-encoding': 'gzip' }, status: 415 },
  }

  it.each(Object.entries(cases))('%s', async (_, { headers, token, status }) => {
    const { keyId, secret } = gateway().partners[0] ?? gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    const own = await visitor.formToken('/portal/sign-in')
    const answer = await visitor.post('/portal/sign-in', { keyId, key: secret, token: token ?? own }, headers)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(visitor.cookies.has('sandgate_portal')).toBe(false)
  })

  it('with the token that another browser was shown', async () => {
    const { keyId, secret } = gateway().partners[0] ?? gateway().nextPartner()
    const [one, other] = [newVisitor(gateway().url), newVisitor(gateway().url)]
    const token = await other.formToken('/portal/sign-in')
    await one.formToken('/portal/sign-in')
    expect((await one.post('/portal/sign-in', { keyId, key: secret, token })).status).toBe(400)
  })

  it('without the cookie that came with it', async () => {
    const { keyId, secret } = gateway().partners[0] ?? gateway().nextPartner()
    const visitor = newVisitor(gateway().url)
    const token = await visitor.formToken('/portal/sign-in')
    visitor.cookies.clear()
    const answer = await visitor.post('/portal/sign-in', { keyId, key: secret, token })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('your browser refuses cookies')
  })

  it('but taken from the page itself, however the browser names its origin', async () => {
    const { keyId, secret } = gateway().partners[0] ?? gateway().nextPartner()
    const { host } = new URL(gateway().url)
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: gateway().url },
      { origin: `http://${host}` },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
      {},
    ]) {
      const visitor = newVisitor(gateway().url)
      const token = await visitor.formToken('/portal/sign-in')
      const answer = await visitor.post(
        '/portal/sign-in',
        { keyId, key: secret, token },
        headers as Record<string, string>,
      )
      expect(answer.status, JSON.stringify(headers)).toBe(303)
    }
  })
})

describe('signing out', () => {
  it('ends the session on the server: a copy of its cookie opens nothing any more', async () => {
    const { visitor } = await signedIn()
    const copy = visitor.cookies.get('sandgate_portal') ?? ''
    const answer = await visitor.post('/portal/sign-out', { token: await visitor.formToken('/portal/usage') })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/portal/sign-in?signed-out=1')
    expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=0')
    visitor.cookies.set('sandgate_portal', copy)
    expect((await visitor.get('/portal/usage')).status).toBe(303)
    expect((await visitor.get('/portal/usage', { accept: 'application/json' })).status).toBe(401)
  })

  it('ends that session alone', async () => {
    const { partner, visitor } = await signedIn()
    const other = newVisitor(gateway().url)
    await other.signIn(partner)
    await visitor.post('/portal/sign-out', { token: await visitor.formToken('/portal/usage') })
    expect((await other.get('/portal/usage')).status).toBe(200)
  })

  it('is nothing that another site can do, nor a link, nor another session’s token', async () => {
    const { visitor } = await signedIn()
    const { visitor: other } = await signedIn()
    const token = await visitor.formToken('/portal/usage')
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await visitor.post('/portal/sign-out', { token }, foreign)).status).toBe(400)
    expect((await visitor.post('/portal/sign-out', {})).status).toBe(400)
    const others = { token: await other.formToken('/portal/usage') }
    expect((await visitor.post('/portal/sign-out', others)).status).toBe(400)
    expect((await visitor.get('/portal/sign-out')).status).toBe(405)
    expect((await visitor.get('/portal/usage')).status).toBe(200)
  })

  it('without a session is over at once', async () => {
    const answer = await newVisitor(gateway().url).post('/portal/sign-out', {})
    expect(answer.status).toBe(303)
  })
})

describe('no secret and no cookie', () => {
  it('reaches the log, which says who signed in and whose session a page was for', async () => {
    const { partner, visitor } = await signedIn()
    await visitor.get('/portal/usage')
    const token = await visitor.formToken('/portal/usage')
    await fetch(`${gateway().url}/portal/sign-in`, {
      method: 'POST',
      headers: { 'content-type': FORM },
      body: `keyId=${partner.keyId}&key=${partner.secret}&token=${token}`,
    })
    const logs = gateway().logs()
    expect(logs).toContain(`"partner":"${partner.id}","keyId":"${partner.keyId}"`)
    for (const secret of [partner.secret, token, ...visitor.cookies.values()])
      expect(logs).not.toContain(secret)
    expect(logs).toMatch(new RegExp(`"partner":"${partner.id}","operation":"portal.usage"`))
  })
})
