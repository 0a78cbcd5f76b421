import { beforeAll, describe, expect, it } from 'vitest'
import { CATALOGUE, type ErrorCode } from '../../src/errors/catalogue.ts'
import { errorWords } from '../../src/errors/catalogue-fr.ts'
import { RETRIES } from '../../src/errors/retry.ts'
import { answeredBy } from '../../src/operations/answered-by.ts'
import { ROWS } from '../../src/operations/operations.ts'
import { operationAnchor } from '../../src/portal/docs/anchor.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'

const CODES = Object.keys(CATALOGUE) as ErrorCode[]

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here' })
})

const plain = (html: string) =>
  html
    .replaceAll('\u00a0', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

async function page(code: string, language: string): Promise<string> {
  const headers = { accept: 'text/html', 'accept-language': language }
  const answer = await fetch(`${gateway.url}/docs/errors/${code}`, { headers })
  expect(answer.headers.get('content-language')).toBe(language)
  return plain(await answer.text())
}

describe('the page of an error code', () => {
  it.each(CODES)(
    '%s says what it is, whether to send it again, and shows an answer, in both languages',
    async (code) => {
      for (const language of ['en', 'fr'] as const) {
        const text = await page(code, language)
        const { title, cause, resolution } = errorWords(code, language)
        for (const words of [title, cause, resolution, RETRIES[CATALOGUE[code].retry][language]])
          expect(text).toContain(words)
        const example = /<pre[^>]*>HTTP\/1\.1 (\d+)\nContent-Type: (\S+)\n\n([\s\S]+?)<\/pre>/.exec(text)
        expect(Number(example?.[1])).toBe(CATALOGUE[code].status)
        const body = JSON.parse(example?.[3] ?? '')
        expect(body.code).toBe(code)
        if (example?.[2] === 'application/problem+json') {
          expect(body).toMatchObject({ title, resolution, status: CATALOGUE[code].status })
          expect(body.type).toBe(`${gateway.url}/docs/errors/${code}`)
        } else if (CATALOGUE[code].kind === 'decision') expect(body.resolution).toBe(resolution)
        else expect(body.error).toMatch(/^[a-z_]+$/)
        expect(text).toContain('href="/docs"')
        expect(text).toContain('href="/docs/errors"')
      }
    },
  )

  it('leads to each of the operations that answer with it, or says that all of them do', async () => {
    for (const code of CODES) {
      const { rows, kind } = answeredBy(code)
      const text = await page(code, 'en')
      if (kind !== 'some') expect(text).toMatch(/Every operation|Every POST|No operation/)
      else for (const row of rows) expect(text).toContain(`href="/docs#${operationAnchor(row)}"`)
      expect(kind === 'none').toBe(rows.length === 0)
    }
    expect(answeredBy('SCORE_NOT_FOUND').rows.map(({ id }) => id)).toEqual(['score.read'])
    expect(answeredBy('PAYMENT_FAILED').rows.map(({ id }) => id)).toEqual([
      'payments.fund',
      'payments.cashout',
    ])
    expect(answeredBy('CASSETTE_MISS')).toMatchObject({ when: 'tape' })
    expect(answeredBy('RATE_LIMITED').rows).toHaveLength(ROWS.length)
  })

  it('is English for who asks for no language, and the other one by its link', async () => {
    const answer = await fetch(`${gateway.url}/docs/errors/RATE_LIMITED`, { headers: { accept: '*/*' } })
    expect(answer.headers.get('content-language')).toBe('en')
    expect(await answer.text()).toContain('href="/docs/errors/RATE_LIMITED?lang=fr"')
    const french = await fetch(`${gateway.url}/docs/errors?lang=fr`, { headers: { 'accept-language': 'en' } })
    expect(french.headers.get('content-language')).toBe('fr')
  })
})
