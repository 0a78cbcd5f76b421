import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { DEFAULT_OUTCOMES } from '../../src/config/outcomes.ts'
import { CATALOGUE, type ErrorCode } from '../../src/errors/catalogue.ts'
import { ANNOTATIONS } from '../../src/operations/annotations.ts'
import { buildOpenApi } from '../../src/operations/openapi.ts'
import { ANSWERERS, type Answerer, codesOf, USUAL } from '../../src/operations/openapi-codes.ts'
import { bodyExamples, successExamples } from '../../src/operations/openapi-examples.ts'
import { ROWS } from '../../src/operations/operations.ts'
import { compileRules, judge } from '../../src/simulator/rules.ts'

type Example = { readonly value: Record<string, unknown> }
type Header = { readonly $ref: string }
type Response = { readonly headers: Record<string, Header>; readonly content: Record<string, unknown> }
type Operation = {
  readonly operationId: string
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string }[]
  readonly responses: Record<string, Response & { readonly $ref?: string }>
}
type Document = {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly responses: Record<string, Response>
    readonly examples: Record<string, Example>
  }
}

const publicUrl = 'https://sandbox.example.org'
const document = buildOpenApi({ publicUrl }) as Document

function operationOf(id: string): Operation {
  const all = Object.values(document.paths).flatMap((path) => Object.values(path))
  const found = all.find(({ operationId }) => operationId === id)
  if (!found) throw new Error(`the document has no operation ${id}`)
  return found
}

function responseOf(id: string, status: number): Response {
  const response = operationOf(id).responses[status]
  if (!response) throw new Error(`${id} has no response ${status}`)
  if (response.$ref === undefined) return response
  const shared = document.components.responses[response.$ref.replace(/^.*\//, '')]
  if (!shared) throw new Error(`${response.$ref} leads nowhere`)
  return shared
}

describe('the OpenAPI document', () => {
  it.each(ROWS)('has $id with every status that it can answer', (row) => {
    const statuses = new Set([row.success.status, ...codesOf(row).map((code) => CATALOGUE[code].status)])
    expect(document.paths[row.path]?.[row.method.toLowerCase()]).toBe(operationOf(row.id))
    expect(Object.keys(operationOf(row.id).responses).map(Number)).toEqual([...statuses].sort())
  })

  it('gives every code of an operation an example of its own', () => {
    const examples = Object.entries(document.components.examples)
    for (const code of ROWS.flatMap((row) => codesOf(row))) {
      const named = examples.filter(([name]) => name === code || name === `oauth.${code}`)
      expect(named.map(([, { value }]) => value.code)).toContain(code)
    }
  })

  it('shows every refusal that the catalogue knows, but those that no operation answers', () => {
    const answerers = Object.keys(ANSWERERS) as Answerer[]
    const shown = new Set(
      answerers.flatMap((answerer) => ROWS.flatMap((row) => codesOf(row, { ...USUAL, answerer }))),
    )
    const absent = Object.keys(CATALOGUE).filter((code) => !shown.has(code as ErrorCode))
    const decisions = Object.entries(CATALOGUE).flatMap(([code, { kind }]) =>
      kind === 'decision' ? [code] : [],
    )
    expect(absent.sort()).toEqual([...decisions, 'METHOD_NOT_ALLOWED', 'NOT_FOUND'].sort())
  })

  it.each([
    ['simulator', []],
    ['upstream', ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_INDETERMINATE', 'UPSTREAM_TIMEOUT']],
    ['tape', ['CASSETTE_MISS']],
  ] as const)(
    'lists the errors of an upstream and of a tape only where one answers: %s',
    (answerer, expected) => {
      const text = JSON.stringify(buildOpenApi({ publicUrl, answerer }))
      const ofOthers = Object.values(ANSWERERS).flatMap(({ codes }) => codes)
      expect(ofOthers.filter((code) => text.includes(`/components/examples/${code}`))).toEqual(expected)
    },
  )

  it.each(ROWS)('has examples of $id that its schemas accept', (row) => {
    const answers = Compile(row.success.schema)
    for (const { value } of Object.values(successExamples(row)) as Example[]) {
      expect([...answers.Errors(value)]).toEqual([])
    }
    const requests = row.body && Compile(row.body)
    for (const { value } of Object.values(bodyExamples(row)) as Example[]) {
      expect([...(requests?.Errors(value) ?? [])]).toEqual([])
    }
  })

  it.each(ROWS.filter((row) => row.outcomes && row.body))(
    'has examples of $id that lead where they say',
    (row) => {
      const rules = compileRules(DEFAULT_OUTCOMES)
      const { outcomes } = row
      if (!outcomes) throw new Error('only deciding operations are asked')
      for (const [name, { value }] of Object.entries(bodyExamples(row)) as [string, Example][]) {
        const { outcome, rule } = judge(rules, outcomes, row.id, value, undefined)
        expect(outcome).toBe(name)
        expect(rule).not.toBe('default')
      }
    },
  )

  it('asks for an Idempotency-Key on every POST but the token exchange', () => {
    for (const { id, method } of ROWS) {
      const asks = operationOf(id).parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'))
      expect(asks, id).toBe(method === 'POST' && id !== 'auth.token')
    }
  })

  it('has the rate-limit headers and the request id on every response', () => {
    for (const { id } of ROWS) {
      for (const status of Object.keys(operationOf(id).responses)) {
        const names = Object.keys(responseOf(id, Number(status)).headers)
        expect(names).toEqual(expect.arrayContaining(['X-Request-Id', 'X-RateLimit-Limit', 'RateLimit']))
      }
    }
  })

  it('says when a response tells how long to wait', () => {
    for (const [id, status] of [
      ['payments.fund', 429],
      ['payments.fund', 409],
      ['payments.fund', 503],
      ['payments.fund', 400],
    ] as const) {
      expect(responseOf(id, status).headers).toHaveProperty('Retry-After')
    }
    expect(responseOf('accounts.read', 400).headers).not.toHaveProperty('Retry-After')
  })

  it('answers the errors of the token exchange as OAuth does', () => {
    expect(Object.keys(responseOf('auth.token', 401).content)).toEqual(['application/json'])
    expect(Object.keys(responseOf('accounts.list', 401).content)).toEqual(['application/problem+json'])
  })

  it('keeps our own annotations to ourselves', () => {
    const text = JSON.stringify(document)
    const ours = [...ANNOTATIONS, '~kind', '~optional', '~refine']
    expect(ours.filter((key) => text.includes(`"${key}":`))).toEqual([])
  })

  it('leaves answers open, because they may gain properties within /v1', () => {
    const schemas = (document.components as unknown as { schemas: Record<string, object> }).schemas
    expect(schemas.Account).not.toHaveProperty('additionalProperties')
    expect(schemas.AccountRequest).toHaveProperty('additionalProperties', false)
  })

  it('has no reference that leads back to itself, so that a page may put in what is referred to', () => {
    const root = JSON.parse(JSON.stringify(document)) as Record<string, unknown>
    const found = (ref: string) =>
      ref
        .split('/')
        .slice(1)
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], root)
    const walk = (value: unknown, above: readonly string[]): void => {
      if (typeof value !== 'object' || value === null) return
      const { $ref: ref } = value as { $ref?: unknown }
      if (typeof ref === 'string') {
        expect(above).not.toContain(ref)
        expect(found(ref), ref).toBeDefined()
        walk(found(ref), [...above, ref])
      } else for (const each of Object.values(value)) walk(each, above)
    }
    walk(root, [])
  })

  it('is the same text every time', () => {
    expect(JSON.stringify(buildOpenApi({ publicUrl }))).toBe(JSON.stringify(document))
  })
})
