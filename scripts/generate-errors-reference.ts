import { CATALOGUE, type ErrorCode, type ErrorEntry } from '../src/errors/catalogue.ts'
import { ANSWERERS, type Answerer, codesOf, USUAL } from '../src/operations/openapi-codes.ts'
import { ROWS } from '../src/operations/operations.ts'
import { table } from './markdown.ts'

const PARTS: readonly {
  readonly kinds: readonly ErrorEntry['kind'][]
  readonly title: string
  readonly text: string
}[] = [
  {
    kinds: ['contract', 'gateway'],
    title: 'Refusals',
    text: 'A refused request is answered with a problem document (RFC 9457, `application/problem+json`): `type`, `title`, `status`, `detail`, `instance`, `code`, `requestId` and `resolution`, and for a request that is not valid `errors`, one entry for each thing to correct. The token exchange answers with `error` and `error_description` (RFC 6749) beside `code` and `requestId`. Programs branch on `code`; the texts may change.',
  },
  {
    kinds: ['decision'],
    title: 'Decisions',
    text: 'These are outcomes, not failures of the request: HTTP 200, with the code in the body of the answer.',
  },
  { kinds: ['replay'], title: 'Replay', text: 'Only a gateway that answers from recordings knows these.' },
]

/** The error codes, as Markdown, from the catalogue. */
export function errorsReference(): string {
  const parts = PARTS.flatMap(({ kinds, title, text }) => [`## ${title}`, text, tableOf(kinds)])
  return `${['# Error codes', 'Each code has a page of its own in the gateway: `/docs/errors/{code}`.', ...parts].join('\n\n')}\n`
}

function tableOf(kinds: readonly ErrorEntry['kind'][]): string {
  const entries = (Object.entries(CATALOGUE) as [ErrorCode, ErrorEntry][])
    .filter(([, { kind }]) => kinds.includes(kind))
    .sort(([, a], [, b]) => a.status - b.status)
  return table(
    ['Code', 'Status', 'When', 'What to do', 'Where'],
    entries.map(([code, { status, cause, resolution }]) => [
      `\`${code}\``,
      String(status),
      cause,
      resolution,
      whereOf(code),
    ]),
  )
}

function whereOf(code: ErrorCode): string {
  const answerers = Object.entries(ANSWERERS) as [Answerer, (typeof ANSWERERS)[Answerer]][]
  const [answerer, own] = answerers.find(([, { codes }]) => codes.includes(code)) ?? []
  return own ? `${placesOf(code, answerer)}, ${own.when}` : placesOf(code)
}

function placesOf(code: ErrorCode, answerer?: Answerer): string {
  const rows = ROWS.filter(
    (row) =>
      codesOf(row, { ...USUAL, ...(answerer && { answerer }) }).includes(code) || row.outcomes?.code === code,
  )
  if (rows.length === ROWS.length) return 'everywhere'
  if (rows.length === 0) return 'other paths and methods'
  const open = ROWS.filter(({ auth }) => auth !== 'client')
  if (rows.length === open.length && rows.every((row) => open.includes(row)))
    return 'all but the token exchange'
  const posts = open.filter(({ method }) => method === 'POST')
  if (rows.length === posts.length && rows.every((row) => posts.includes(row))) return 'every POST under /v1'
  if (rows.length > 8) return `${rows.length} operations`
  return rows.map(({ id }) => `\`${id}\``).join(', ')
}
