import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Type, { type TSchema } from 'typebox'
import { describe, expect, it } from 'vitest'
import {
  CAP_PRODUCTS,
  DECIDING_OPERATIONS,
  GROUPS_NOT_PER_PARTNER,
  PRODUCTS_WITHOUT_AMOUNT,
  RATE_LIMIT_GROUPS,
  SCOPES,
} from '../../src/config/contract.ts'
import { ANNOTATIONS } from '../../src/operations/annotations.ts'
import type { OperationRow } from '../../src/operations/operation.ts'
import { ROWS } from '../../src/operations/operations.ts'

const contract: Readonly<Record<string, { outcomes: { good: string; bad: string }; hasAmount: boolean }>> =
  DECIDING_OPERATIONS

/** What `row` still lacks elsewhere, in words. */
function lacking(row: OperationRow): string[] {
  const { id, outcomes, cap, group, countsPer, errors, momentary = [] } = row
  const decides = contract[id]
  const perPartner = !(GROUPS_NOT_PER_PARTNER as readonly string[]).includes(group)
  return [
    ...when(
      !!outcomes && !decides,
      `${id} decides: give it a line in DECIDING_OPERATIONS (config/contract.ts)`,
    ),
    ...when(!outcomes && !!decides, `DECIDING_OPERATIONS has ${id}, whose row has no outcomes`),
    ...when(
      outcomes &&
        decides &&
        (outcomes.good !== decides.outcomes.good || outcomes.bad !== decides.outcomes.bad),
      `${id} calls its outcomes otherwise than DECIDING_OPERATIONS`,
    ),
    ...when(
      decides && decides.hasAmount !== takesAmount(row),
      `hasAmount of ${id} in DECIDING_OPERATIONS is wrong`,
    ),
    ...when(
      cap && PRODUCTS_WITHOUT_AMOUNT.includes(cap.product) !== (cap.amountField === undefined),
      `${id} and PRODUCTS_WITHOUT_AMOUNT differ on whether ${cap?.product} has an amount`,
    ),
    ...when(
      perPartner !== (countsPer === 'partner'),
      `${id} counts per ${countsPer}: GROUPS_NOT_PER_PARTNER (config/contract.ts) says otherwise of ${group}`,
    ),
    ...momentary
      .filter((code) => !errors.includes(code))
      .map((code) => `${id}: ${code} is none of its errors`),
    ...when(!isTested(row), `${id} has no contract test: nothing in test/contract asks for ${row.path}`),
  ]
}

function when(holds: unknown, text: string): string[] {
  return holds ? [text] : []
}

function takesAmount({ body, query }: OperationRow): boolean {
  return [body, query].some((schema) => 'amount' in ((schema as { properties?: object })?.properties ?? {}))
}

const contractTests = readdirSync('test/contract')
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(join('test/contract', name), 'utf8'))
  .join('\n')

function isTested({ path }: OperationRow): boolean {
  const spelled = path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '(?:\\$\\{|[a-z]+_)')
  return new RegExp(`['"\`}]${spelled}`).test(contractTests)
}

describe('an operation', () => {
  it.each(ROWS.map((row) => [row.id, row] as const))(
    '%s has everything that its row asks for elsewhere',
    (_, row) => {
      expect(lacking(row)).toEqual([])
    },
  )

  it('that is added is told what it lacks', () => {
    const [first] = ROWS
    const row: OperationRow = {
      ...(first as OperationRow),
      id: 'loans.ask',
      path: '/v1/loans/ask',
      group: 'token',
      countsPer: 'partner',
      cap: { product: 'credit' },
      outcomes: { good: 'approved', bad: 'rejected', code: 'CREDIT_REJECTED' },
      momentary: ['KYC_SESSION_EXPIRED'],
    }
    expect(lacking(row)).toHaveLength(5)
  })

  it('stands in the table of operations when a file has its row', async () => {
    const files = readdirSync('src/operations').filter((name) => name.endsWith('.ts'))
    const found = new Set<string>()
    for (const file of files) {
      const module: Record<string, unknown> = await import(pathToFileURL(join('src/operations', file)).href)
      for (const value of Object.values(module)) if (isRow(value)) found.add(value.id)
    }
    expect([...found].sort()).toEqual(ROWS.map(({ id }) => id).sort())
  })

  it('has an id and a route of its own', () => {
    expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length)
    expect(new Set(ROWS.map(({ method, path }) => `${method} ${path}`)).size).toBe(ROWS.length)
  })

  it('uses every scope, group and product of the contract, so that none is left over', () => {
    expect(SCOPES.filter((scope) => !ROWS.some(({ auth }) => auth === scope))).toEqual([])
    expect(CAP_PRODUCTS.filter((product) => !ROWS.some(({ cap }) => cap?.product === product))).toEqual([])
    const groups = Object.keys(RATE_LIMIT_GROUPS)
    expect(groups.filter((name) => !ROWS.some(({ group }) => group === name))).toEqual([])
    expect(Object.keys(contract).filter((id) => !ROWS.some((row) => row.id === id))).toEqual([])
  })
})

function isRow(value: unknown): value is OperationRow {
  return typeof value === 'object' && value !== null && 'id' in value && 'path' in value && 'success' in value
}

/** The keywords of JSON Schema that our schemas use; the validator reads each of them. */
const KEYWORDS = [
  'type',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'properties',
  'patternProperties',
  'additionalProperties',
  'required',
  'items',
  'anyOf',
  'format',
  'description',
  'examples',
]
const FORMATS = ['date', 'date-time', 'uri', 'int64']

type Node = Readonly<Record<string, unknown>>

/** A keyword that nothing reads checks nothing, and an annotation in the wrong place protects nobody. */
function faults(schema: TSchema | undefined, path: string, depth = 0): string[] {
  if (schema === undefined) return []
  const node = schema as unknown as Node
  const known = new Set([...KEYWORDS, ...ANNOTATIONS])
  const unknown = Object.keys(node).filter((keyword) => !known.has(keyword) && !keyword.startsWith('~'))
  const children = [
    ...Object.entries((node.properties ?? {}) as Node),
    ...Object.entries((node.patternProperties ?? {}) as Node),
    ...((node.anyOf ?? []) as readonly unknown[]).map((child, i) => [`anyOf[${i}]`, child] as const),
    ...(typeof node.items === 'object' ? [['[]', node.items] as const] : []),
  ]
  return [
    ...unknown.map((keyword) => `${path}: ${keyword} is no keyword`),
    ...when(node.format !== undefined && !FORMATS.includes(String(node.format)), `${path}: unknown format`),
    ...when(node.past === true && depth > 1, `${path}: past is read of properties alone`),
    ...when(
      node.standIn !== undefined && node.personal !== true,
      `${path}: a stand-in for what is not personal`,
    ),
    ...when(node.personal === true && node.secret === true, `${path}: personal and secret at once`),
    ...children.flatMap(([key, child]) => faults(child as TSchema, `${path}.${key}`, depth + 1)),
  ]
}

describe('every keyword in the schema of an operation', () => {
  it.each(ROWS.map((row) => [row.id, row] as const))('is one that somebody reads: %s', (_, row) => {
    const found = [
      ...faults(row.body, 'body'),
      ...faults(row.query, 'query'),
      // `past` of a request's own field says nothing about an answer.
      ...faults(row.success.schema, 'success', Number.NEGATIVE_INFINITY),
      ...Object.entries(row.params ?? {}).flatMap(([name, schema]) => faults(schema, name)),
    ]
    expect(found).toEqual([])
  })

  it('is refused otherwise', () => {
    const schema = Type.Object({
      a: Type.String({ personnal: true }),
      b: Type.String({ format: 'e-mail' }),
      c: Type.String({ standIn: 'C' }),
      d: Type.Object({ e: Type.String({ past: true }) }),
    })
    expect(faults(schema, 'body')).toEqual([
      'body.a: personnal is no keyword',
      'body.b: unknown format',
      'body.c: a stand-in for what is not personal',
      'body.d.e: past is read of properties alone',
    ])
  })
})
