import { Compile } from 'typebox/compile'
import { type ErrorCode, errorEntry, isErrorCode } from '../../src/errors/catalogue.ts'
import { ROWS } from '../../src/operations/operations.ts'
import { portalUsage } from '../../src/operations/portal-usage.ts'
import { secretOf } from '../support/partners.ts'
import { CANARY, CANARY_PHONE, type Known, type Shot, SIGNING_SECRET } from './shots.ts'
import { HUSH } from './values.ts'
import { type Answer, header, type Impact } from './volley.ts'

const successes = new Map(
  ROWS.map((row) => [row.id, { status: row.success.status, shape: Compile(row.success.schema) }]),
)
const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
const COMMON = [...RATE_HEADERS, 'ratelimit', 'ratelimit-policy', 'cache-control', 'x-content-type-options']

/** What holds for every answer, whatever was asked. Keeps the ids that it has seen. */
export function createVerdict(known: Known) {
  const seen = new Set<string>()
  const keys = [secretOf('key_canary-a'), secretOf('key_plain-b')]
  const never = [SIGNING_SECRET, ...keys, known.tokens.a, known.tokens.b]
  const ofA = [CANARY, CANARY_PHONE, known.accountOfA, known.webhookOfA]

  /** What is wrong with it; nothing for nearly all. */
  return {
    /** Never in a response to B or to nobody, and never in the log. */
    secrets: never,
    personal: ofA,
    judge: (shot: Shot, impact: Impact): string[] => {
      const faults = impact.fault === undefined ? [] : [impact.fault]
      if (impact.answers.length === 0 && !impact.closed) faults.push('neither answered nor closed')
      for (const answer of impact.answers) faults.push(...ofAnswer(shot, answer))
      return faults
    },
  }

  function* ofAnswer(shot: Shot, answer: Answer): Generator<string> {
    const { status, body } = answer
    const text = body.toString('utf8')
    if (status >= 500) yield `a ${status}: ${text.slice(0, 300)}`
    if (status >= 300 && status < 400) yield* ofRedirect(shot, answer, text)
    const id = header(answer, 'x-request-id') ?? ''
    if (!/^req_[A-Za-z0-9_-]{16}$/.test(id)) yield `X-Request-Id is ${JSON.stringify(id)}`
    if (seen.has(id)) yield `X-Request-Id ${id} came twice`
    seen.add(id)
    for (const name of RATE_HEADERS)
      if (!/^[0-9]+$/.test(header(answer, name) ?? '')) yield `${name} is missing`
    for (const name of COMMON) {
      const lines = answer.headers.filter(([each]) => each === name).length
      if (lines !== 1) yield `${lines} lines of ${name}`
    }
    yield* ofSecrets(shot, answer, text)
    if (shot.method !== 'HEAD' && status < 300) yield* ofSuccess(shot, answer, text)
    else if (shot.method !== 'HEAD' && status >= 400 && status < 500) yield* ofRefusal(shot, answer, text)
  }

  function* ofSecrets(shot: Shot, answer: Answer, text: string): Generator<string> {
    const everything = `${answer.headers.map((each) => each.join(': ')).join('\n')}\n${text}`
    for (const secret of never)
      if (everything.includes(secret)) yield `shows a secret: ${secret.slice(0, 24)}…`
    if (shot.who !== 'a') {
      for (const datum of ofA) if (everything.includes(datum)) yield `shows what is A's: ${datum}`
    }
    // A success may show what was sent with it; a refusal never repeats a value.
    if (answer.status >= 400 && everything.includes(HUSH)) yield 'repeats a value that was sent'
  }
}

/** Only to a page of ours; or nothing new of a document, to who has it already. */
function* ofRedirect(shot: Shot, answer: Answer, text: string): Generator<string> {
  if (answer.status === 304) {
    const isDocument = shot.operation === undefined && header(answer, 'etag') !== undefined
    if (!isDocument || text !== '' || !shot.head.includes('If-None-Match:'))
      yield 'a 304 that was not asked for'
    return
  }
  const location = header(answer, 'location') ?? ''
  if (![303, 308].includes(answer.status) || !/^\/(?!\/)[!-~]*$/.test(location))
    yield `a ${answer.status} to ${JSON.stringify(location)}`
}

/** Whoever opens an address in a browser may get a page: in place of a 401 and a 404, and where an operation has one. */
function mayBePage({ operation, method, head }: Shot, { status }: Answer): boolean {
  if (operation === undefined) return true
  if (!head.includes('Accept: text/html') || (method !== 'GET' && method !== 'HEAD')) return false
  return operation === portalUsage.id || status === 401 || status === 404
}

function* ofSuccess(shot: Shot, answer: Answer, text: string): Generator<string> {
  const isReset = shot.method === 'DELETE' && answer.status === 204
  if (isReset && text === '') return
  if (!['GET', 'POST', 'RAW'].includes(shot.method)) yield `a success for ${shot.method}`
  const type = header(answer, 'content-type') ?? ''
  if (!/json/.test(type)) {
    if (!mayBePage(shot, answer)) yield `an operation answers ${type}`
    return
  }
  const value = jsonOf(text)
  if (value === undefined) yield 'a success is not JSON'
  const expected = shot.operation === undefined ? undefined : successes.get(shot.operation)
  if (!expected) return
  if (answer.status !== expected.status) yield `a success with ${answer.status}`
  if (!expected.shape.Check(value)) yield `a success that does not fit: ${text.slice(0, 300)}`
}

function* ofRefusal(shot: Shot, answer: Answer, text: string): Generator<string> {
  const type = header(answer, 'content-type') ?? ''
  // A page tells people, not programs.
  if (type.startsWith('text/html') && mayBePage(shot, answer)) return
  const value = jsonOf(text)
  const code = value?.code
  if (typeof code !== 'string' || !isErrorCode(code)) {
    yield `a refusal without a known code: ${text.slice(0, 300)}`
    return
  }
  if (errorEntry(code satisfies ErrorCode).status !== answer.status) yield `${code} with ${answer.status}`
  const isOAuth = type === 'application/json' && typeof value?.error === 'string'
  const isProblem = type === 'application/problem+json' && value?.status === answer.status
  if (!isOAuth && !isProblem) yield `neither a problem nor an OAuth error: ${type} ${text.slice(0, 200)}`
  if (answer.status === 429 && !/^[1-9][0-9]*$/.test(header(answer, 'retry-after') ?? ''))
    yield '429 without Retry-After'
}

function jsonOf(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
