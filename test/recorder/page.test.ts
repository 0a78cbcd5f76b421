import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { replay } from '../../src/sandgate.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { record, startUpstream } from './upstream.ts'

const directory = scratch()

it('the page of the widget that is asked for through the recorder has its operation, and replays', async () => {
  const sessionId = 'kws_0VhYx3kQmAbCdEfGhIjKlMnOpQrStUv'
  const upstream = await startUpstream((req, res) => {
    req.resume().on('end', () => {
      const page = `${upstream.url.origin}/kyc/widget/${sessionId}`
      if (req.url === '/auth/token')
        res
          .setHeader('Content-Type', 'application/json')
          .end('{"access_token":"tok","token_type":"Bearer","expires_in":900,"scope":"kyc:initiate"}')
      else if (req.url === '/v1/kyc/widget/session')
        res
          .writeHead(201, { 'content-type': 'application/json' })
          .end(JSON.stringify({ sessionId, url: page, status: 'CREATED' }))
      else if (req.method === 'POST') res.writeHead(303, { location: `${page}?done=1` }).end()
      else res.setHeader('Content-Type', 'text/html').end('<form method="post">the form</form>')
    })
  })
  const visit = async (own: string) => {
    const form = new URLSearchParams({ client_id: 'key_demo', client_secret: 'any' })
    const granted = await (await fetch(`${own}/auth/token`, { method: 'POST', body: form })).json()
    const { access_token } = granted as { access_token: string }
    const made = await fetch(`${own}/v1/kyc/widget/session`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      body: '{"customerRef":"CUS-1","phone":"+2250712345678"}',
    })
    expect(made.status).toBe(201)
    const { url } = (await made.json()) as { url: string }
    expect(url.startsWith(own)).toBe(true)
    const html = { accept: 'text/html,*/*;q=0.8' }
    const shown = await fetch(url, { headers: html })
    const body = new URLSearchParams({ firstName: 'Awa' })
    const sent = await fetch(url, {
      method: 'POST',
      body,
      headers: { ...html, origin: own },
      redirect: 'manual',
    })
    return [
      made.status,
      shown.status,
      await shown.text(),
      sent.status,
      sent.headers.get('location')?.replace(own, ''),
    ]
  }
  const out = join(directory, 'page.har')
  const recorder = await record(upstream.url, out)
  const wanted = [201, 200, '<form method="post">the form</form>', 303, `/kyc/widget/${sessionId}?done=1`]
  expect(await visit(recorder.url)).toEqual(wanted)
  await recorder.finish()
  expect(loadCassette(out).interactions.map(({ operation }) => operation)).toEqual([
    'auth.token',
    'kyc.widget.session',
    'widget.show',
    'widget.submit',
  ])
  const tape = await replay(out)
  expect(await visit(tape.url)).toEqual(wanted)
  expect(await tape.close()).toMatchObject({ missed: 0, unused: [] })
})
