import Type, { type TSchema } from 'typebox'
import { createFieldCheck } from '../checks/fields.ts'
import { parseJson } from '../checks/json.ts'
import { judgeOutcome } from '../checks/outcome.ts'
import { createQueryReader, propertiesOf } from '../checks/query.ts'
import type { Config } from '../config/schema.ts'
import { sourceOf } from '../config/upstream-rules.ts'
import { type FieldError, type Refusal, refuse } from '../errors/refusal.ts'
import { isJson } from '../http/media-type.ts'
import { closed } from '../operations/fields.ts'
import type { Fields, Operation } from '../operations/operation.ts'

/** What a request says, once its bytes are in. */
export type RequestText = {
  readonly query: string
  readonly body: Buffer
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly requestedOutcome: string | string[] | undefined
}

export type Judged =
  | { readonly body: Fields; readonly query: Fields; readonly refusal?: never }
  | { readonly refusal: Refusal }

/** Judges media type, JSON, fields and outcome of one operation, in that order. Compiled once at boot. */
export type RequestCheck = (request: RequestText, config: Config, now: number) => Judged

const NOTHING: Fields = {}

export function createRequestCheck(operation: Operation): RequestCheck {
  const readQuery = createQueryReader(operation.query)
  const checkQuery = createFieldCheck(operation.query ?? closed({}), 'parameter')
  const checkBody = operation.body && createFieldCheck(operation.body, 'pointer')
  const judgeForm = createFormCheck(operation)

  return (request, config, now) => {
    const { validation } = config.upstream
    if (validation === 'pass' && sourceOf(config, operation.id) === 'upstream') return judgeForm(request, now)
    let body: unknown = NOTHING
    let errors: readonly FieldError[] = []
    if (checkBody) {
      const refusal = judgeMediaType(request)
      if (refusal) return { refusal }
      // A POST without any body is an empty object: it is told which fields are missing.
      if (request.body.length > 0 || request.contentType !== undefined) {
        const parsed = parseJson(request.body)
        if (!parsed.ok) return { refusal: parsed.refusal }
        body = parsed.value.value
        errors = checkBody(body, now, parsed.value)
      } else errors = checkBody(body, now)
    }
    const query = readQuery(request.query)
    errors = join(errors, query.errors.length > 0 ? query.errors : checkQuery(query.fields, now))
    const outcome = judgeOutcome(request.requestedOutcome, operation.outcomes)
    if (outcome?.errors) errors = join(errors, outcome.errors)
    if (errors.length > 0) return { refusal: invalid(errors) }
    const fields = { body: body as Fields, query: query.fields }
    const refusal = operation.judge?.(fields, config)
    return refusal ? { refusal } : fields
  }
}

/**
 * For a sandbox that has fields of its own: whether a body is JSON, and the amount that a cap counts. The rest is for
 * the sandbox to judge.
 */
function createFormCheck({ body, cap }: Operation): (request: RequestText, now: number) => Judged {
  const field = cap?.amountField
  const schema = field === undefined ? undefined : (propertiesOf(body)[field] as TSchema | undefined)
  const checkAmount = schema && createFieldCheck(Type.Object({ [field ?? '']: schema }), 'pointer')
  return (request, now) => {
    if (!body) return { body: NOTHING, query: NOTHING }
    const refusal = judgeMediaType(request)
    if (refusal) return { refusal }
    const parsed = request.body.length > 0 ? parseJson(request.body) : undefined
    if (parsed && !parsed.ok) return { refusal: parsed.refusal }
    const value = parsed ? parsed.value.value : NOTHING
    if (checkAmount) {
      const inexact = new Set(parsed?.value.inexact.has(`/${field}`) ? [`/${field}`] : [])
      const errors = checkAmount(value, now, { inexact, illFormed: new Set() })
      if (errors.length > 0) return { refusal: invalid(errors) }
    }
    return { body: value as Fields, query: NOTHING }
  }
}

function judgeMediaType({ contentType, contentEncoding, body }: RequestText): Refusal | undefined {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') {
    return refuse('UNSUPPORTED_MEDIA_TYPE', 'The body is encoded; send it without Content-Encoding.')
  }
  if (isJson(contentType) || (contentType === undefined && body.length === 0)) return undefined
  return refuse(
    'UNSUPPORTED_MEDIA_TYPE',
    contentType === undefined
      ? 'The Content-Type header is missing; send Content-Type: application/json.'
      : 'The body must be JSON; send Content-Type: application/json.',
  )
}

/** More than any honest mistake makes; without a bound an answer could be thirty times as long as its request. */
const MAX_LISTED = 50

function invalid(errors: readonly FieldError[]): Refusal {
  const more = errors.length - MAX_LISTED
  const detail = errors.length === 1 ? 'One thing is not valid.' : `${errors.length} things are not valid.`
  if (more <= 0) return refuse('VALIDATION_FAILED', `${detail} See errors.`, { errors })
  return refuse(
    'VALIDATION_FAILED',
    `${detail} The first ${MAX_LISTED} are in errors; ${more} more are not listed.`,
    {
      errors: errors.slice(0, MAX_LISTED),
      members: { errorsNotListed: more },
    },
  )
}

function join(some: readonly FieldError[], more: readonly FieldError[]): readonly FieldError[] {
  return some.length === 0 ? more : more.length === 0 ? some : [...some, ...more]
}
