import { describe, expect, it } from 'vitest'
import { htmlValues } from '../../../src/cassettes/message/html-inputs.ts'
import { exchange, redactor } from '../recording-fixtures.ts'

const page = (...inputs: string[]) => `<!doctype html><form method="post">${inputs.join('\n')}</form>`

const redacted = (html: string, form = '') => {
  const { redact } = redactor()
  const type = ['Content-Type', 'text/html; charset=utf-8'] as const
  const pages = exchange({ method: 'GET', target: '/kyc/widget/kws_1', replyHeaders: [type], reply: html })
  const first = redact(pages)
  const text = Buffer.from(first.exchange.reply?.body ?? []).toString()
  const sent = exchange({
    target: '/kyc/widget/kws_1',
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: Buffer.from(form),
  })
  return { text, ...first, form: Buffer.from(redact(sent).exchange.request.body).toString() }
}

describe('a page with a form', () => {
  it('gives up its token, which the form sends back', () => {
    const token = 'Zm9ybS10b2tlbi1vZi1hLXNlc3Npb24'
    const { text, form } = redacted(
      page(`<input type="hidden" name="token" value="${token}">`, '<p>Bonjour</p>'),
      `token=${token}&country=CI`,
    )
    expect(text).toBe(page('<input type="hidden" name="token" value="redacted-token-1">', '<p>Bonjour</p>'))
    expect(form).toBe('token=redacted-token-1&country=CI')
  })

  it('gives up what was typed, in its own spelling, and says where', () => {
    const { text, redactions } = redacted(
      page(
        `<INPUT value='O&#39;Brien &amp; fils' NAME=firstName name='lastName'>`,
        '<input name="note" value="x">',
      ),
    )
    expect(text).not.toMatch(/Brien/)
    expect(text).toContain('<input name="note" value="x">')
    expect(redactions).toMatchObject([
      { place: { part: 'reply-body', pointer: '/lastName' }, kind: 'personal', rule: 'lastName' },
    ])
  })

  it('is read as a browser reads it', () => {
    const read = (html: string) => htmlValues(html).map(({ name, value }) => [name, value])
    expect(read('<input name="a" value="&lt;&#x3e;&quot;&unknown;">')).toEqual([['a', '<>"&unknown;']])
    expect(read('<input name="a"><input value="b"><inputs name="c" value="d">')).toEqual([])
    expect(
      htmlValues('<input name="a" value="1"><input name="a" value="2">').map(({ pointer }) => pointer),
    ).toEqual(['/a', '/a/1'])
  })
})
