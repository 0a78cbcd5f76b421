import type { TSchema } from 'typebox'
import type { OutcomeNames } from '../simulator/rules.ts'
import { byStatus, type Circumstances, codesOf } from './openapi-codes.ts'
import { bodyExamples, successExamples } from './openapi-examples.ts'
import { type HeaderName, headerParameters, LANGUAGE, responseHeaders } from './openapi-headers.ts'
import { requestName, responseName } from './openapi-names.ts'
import type { Problems } from './openapi-problems.ts'
import type { Json, Schemas } from './openapi-schemas.ts'
import type { Fields, OperationRow } from './operation.ts'

/** One row of the table as an OpenAPI operation. */
export function openApiOperation(
  row: OperationRow,
  circumstances: Circumstances,
  schemas: Schemas,
  problems: Problems,
): Json {
  const parameters = [...pathAndQuery(row, schemas), ...headerParameters(row, circumstances)]
  const all = codesOf(row, circumstances)
  const refusals = byStatus(all).map(([status, codes]) => [
    String(status),
    problems.response(row, status, codes, all),
  ])
  return {
    operationId: row.id,
    summary: row.summary,
    description: describe(row),
    tags: [row.tag],
    security: security(row, circumstances),
    parameters,
    ...(row.body && { requestBody: requestBody(row, row.body, schemas) }),
    responses: { [row.success.status]: success(row, schemas), ...Object.fromEntries(refusals) },
  }
}

function describe({ description, group, countsPer, cap, auth }: OperationRow): string {
  const whom = { partner: 'partner', ip: 'client IP', client: 'client' }[countsPer]
  const capped = cap ? ` Cap: \`${cap.product}\`.` : ''
  const scope =
    auth === 'any'
      ? ' Any valid token will do.'
      : auth === 'all'
        ? ' Scope: every one that the partner holds.'
        : auth === 'client'
          ? ''
          : ` Scope: \`${auth}\`.`
  return `${description}\n\nRate limit group: \`${group}\`, per ${whom}.${capped}${scope}`
}

function security({ auth }: OperationRow, { needsToken }: Circumstances): readonly Json[] {
  // The empty requirement: credentials in the body need no Authorization header.
  if (auth === 'client') return [{ ClientBasic: [] }, {}]
  return [{ OAuth2: auth === 'any' || auth === 'all' ? [] : [auth] }, ...(needsToken ? [] : [{}])]
}

function pathAndQuery(row: OperationRow, schemas: Schemas): readonly Json[] {
  const path = Object.entries(row.params ?? {}).map(([name, schema]) =>
    parameter('path', name, schema, true, ofPath(schema, row), schemas),
  )
  const { properties = {}, required = [] } = (row.query ?? {}) as TSchema & {
    properties?: Record<string, TSchema>
    required?: readonly string[]
  }
  const query = Object.entries(properties).map(([name, schema]) =>
    parameter('query', name, schema, required.includes(name), schema, schemas, row.exampleQuery),
  )
  return [...path, ...query]
}

/** Whatever is no id of ours is not there. */
function ofPath({ description, examples }: Described, { errors }: OperationRow): Described {
  const missing = errors.find((code) => code.endsWith('_NOT_FOUND'))
  if (description === undefined || missing === undefined) return { description, examples }
  return { description: `${description} What has another form is \`${missing}\` as well.`, examples }
}

type Described = { description?: string | undefined; examples?: readonly unknown[] | undefined }

function parameter(
  place: 'path' | 'query',
  name: string,
  schema: TSchema,
  required: boolean,
  { description, examples }: Described,
  schemas: Schemas,
  example: Fields = {},
): Json {
  // An optional parameter is shown only when the example of the operation has it.
  const shown = example[name] ?? (required ? examples?.[0] : undefined)
  return {
    name,
    in: place,
    required,
    ...(description !== undefined && { description }),
    schema: schemas.inline(schema, 'request'),
    ...(shown !== undefined && { example: shown }),
  }
}

function requestBody(row: OperationRow, body: TSchema, schemas: Schemas): Json {
  const media = { schema: schemas.named(requestName(row.id), body, 'request'), examples: bodyExamples(row) }
  if (row.auth !== 'client') return { required: true, content: { 'application/json': media } }
  // With HTTP Basic everything may be in the header.
  return {
    required: false,
    content: { 'application/x-www-form-urlencoded': media, 'application/json': media },
  }
}

function success(row: OperationRow, schemas: Schemas): Json {
  const { status, description, schema, location } = row.success
  if (status === 204) return { description, headers: responseHeaders([]) }
  const always: HeaderName[] = [
    ...(location ? (['Location'] as const) : []),
    ...(row.outcomes ? (['X-Sandbox-Rule'] as const) : []),
    ...(row.auth === 'client' ? (['Pragma'] as const) : []),
  ]
  const replays = row.auth !== 'client' && row.method === 'POST'
  const sometimes: HeaderName[] = [
    ...(replays ? (['Idempotency-Replayed'] as const) : []),
    ...(row.outcomes || showsDecision(schema) ? LANGUAGE : []),
  ]
  const name = responseName(row.id)
  const named = row.outcomes
    ? schemas.plain(name, decided(schemas.inline(schema, 'response'), row.outcomes))
    : schemas.named(name, schema, 'response')
  return {
    description,
    headers: responseHeaders(always, sometimes),
    content: {
      'application/json': {
        schema: named,
        examples: successExamples(row),
      },
    },
  }
}

/** Only a refused decision has words in it. */
function showsDecision({ properties = {} }: TSchema & { properties?: object }): boolean {
  return 'decision' in properties
}

/** A decision is one of two, told apart by its outcome: only a refusal has a code and says what to do. */
function decided(decision: Json, { good, bad, code }: OutcomeNames): Json {
  const { properties, required, ...rest } = decision as { properties: Json; required: readonly string[] }
  const { outcome, code: _, resolution, ...others } = properties
  const either = (name: string, more: Json) => ({
    ...rest,
    title: name,
    required: [...new Set([...required, ...Object.keys(more)])],
    properties: { ...others, outcome: { ...(outcome as Json), enum: [name], examples: [name] }, ...more },
  })
  return {
    oneOf: [
      either(good, { code: { type: 'null', description: 'Nothing was refused.' } }),
      either(bad, { code: { type: 'string', enum: [code], description: 'Why it was refused.' }, resolution }),
    ],
  }
}
