import { CATALOGUE, type ErrorCode, type ErrorEntry } from '../src/errors/catalogue.ts'
import { RETRIES } from '../src/errors/retry.ts'
import { answeredBy } from '../src/operations/answered-by.ts'
import { ANSWERERS } from '../src/operations/openapi-codes.ts'
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
    ['Code', 'Status', 'When', 'What to do', 'Again?', 'Where'],
    entries.map(([code, { status, cause, resolution, retry }]) => [
      `\`${code}\``,
      String(status),
      cause,
      resolution,
      RETRIES[retry].en,
      whereOf(code),
    ]),
  )
}

function whereOf(code: ErrorCode): string {
  const { rows, kind, when } = answeredBy(code)
  const listed = rows.length > 8 ? `${rows.length} operations` : rows.map(({ id }) => `\`${id}\``).join(', ')
  const places = kind === 'some' ? listed : PLACES[kind]
  return when ? `${places}, ${ANSWERERS[when].when}` : places
}

const PLACES = {
  all: 'everywhere',
  'all-but-exchange': 'all but the token exchange',
  'every-post': 'every POST under /v1',
  none: 'other paths and methods',
}
