import { CATALOGUE, type ErrorCode } from '../errors/catalogue.ts'
import type { Language } from '../http/language.ts'
import { ANSWERERS, type Answerer, codesOf, USUAL } from './openapi-codes.ts'
import { exchangeExample, problemExample, successExamples } from './openapi-examples.ts'
import type { Json } from './openapi-schemas.ts'
import type { OperationRow } from './operation.ts'
import { ROWS } from './operations.ts'

/** Which operations can answer with a code. `when`: only where somebody else than the simulator answers. */
export type AnsweredBy = {
  readonly rows: readonly OperationRow[]
  readonly kind: 'all' | 'all-but-exchange' | 'every-post' | 'some' | 'none'
  readonly when: Answerer | undefined
}

export function answeredBy(code: ErrorCode): AnsweredBy {
  const answerers = Object.keys(ANSWERERS) as Answerer[]
  const when = answerers.find((each) => ANSWERERS[each].codes.includes(code))
  const circumstances = { ...USUAL, ...(when && { answerer: when }) }
  const rows = ROWS.filter((row) => codesOf(row, circumstances).includes(code) || row.outcomes?.code === code)
  return { rows, kind: kindOf(rows), when }
}

function kindOf(rows: readonly OperationRow[]): AnsweredBy['kind'] {
  const open = ROWS.filter(({ auth }) => auth !== 'client')
  const posts = open.filter(({ method }) => method === 'POST')
  const are = (others: readonly OperationRow[]) =>
    rows.length === others.length && rows.every((row) => others.includes(row))
  if (rows.length === 0) return 'none'
  if (are(ROWS)) return 'all'
  if (are(open)) return 'all-but-exchange'
  return are(posts) ? 'every-post' : 'some'
}

/** What an answer with the code looks like: a decision, an error of the token exchange, or a problem document. */
export function exampleAnswer(
  code: ErrorCode,
  publicUrl: string,
  language: Language,
): { readonly body: unknown; readonly contentType: string } {
  const { rows } = answeredBy(code)
  const [row] = rows
  if (CATALOGUE[code].kind === 'decision' && row?.outcomes) {
    const refused = successExamples(row, language)[row.outcomes.bad] as Json
    return { body: refused.value, contentType: 'application/json' }
  }
  if (row && rows.every(({ auth }) => auth === 'client'))
    return { body: exchangeExample(code).value, contentType: 'application/json' }
  return { body: problemExample(code, publicUrl, language).value, contentType: 'application/problem+json' }
}
