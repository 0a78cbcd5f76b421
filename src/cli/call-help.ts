import type { Operation } from '../operations/operation.ts'
import { type FieldSchema, isType } from './call-fields.ts'
import { placesOf } from './call-request.ts'
import { table, wrapped } from './commands/help.ts'

const WIDTH = 88

/** The operations, each with what it takes; what must be given stands first and without brackets. */
export function operationList(operations: readonly Operation[]): string {
  return operations
    .map((operation) => {
      const names = rowsOf(operation).map(({ name, required }) => (required ? name : `[${name}]`))
      const terms = names.length === 0 ? '' : `\n    ${wrapped(names.join(' '), WIDTH - 4).join('\n    ')}`
      return `${operation.id}: ${operation.summary}.${terms}`
    })
    .join('\n')
}

/** What one operation takes, and an example. */
export function operationHelp(operation: Operation): string {
  const { id, method, path, summary, description, auth } = operation
  const rows = rowsOf(operation).map(
    ({ name, required, text }) => [name, required ? `Required. ${text}` : text] as const,
  )
  const scope =
    auth === 'any' ? 'any token' : auth === 'all' ? 'a token with every scope' : `the scope ${auth}`
  return [
    `${id}: ${summary}. ${method} ${path}, with ${scope}.`,
    wrapped(description, WIDTH).join('\n'),
    `Usage: sandgate call ${id}${rows.length > 0 ? ' [NAME=VALUE...]' : ''}${operation.body ? ' [@FILE]' : ''} [OPTIONS]`,
    ...(rows.length > 0 ? [`Parameters:\n${table(rows)}`] : []),
    `Example:\n  ${exampleOf(operation)}`,
    'sandgate call --help shows the options.',
  ].join('\n\n')
}

type Row = {
  readonly name: string
  readonly required: boolean
  readonly text: string
  readonly schema: FieldSchema
}

function rowsOf(operation: Operation): Row[] {
  const { path, body } = placesOf(operation)
  const query = operation.query as FieldSchema | undefined
  const rows = [
    ...Object.entries(path).map(([name, schema]) => row(name, schema, true)),
    ...membersOf(query, ''),
    ...membersOf(body, ''),
  ]
  return rows.sort((a, b) => Number(b.required) - Number(a.required))
}

function membersOf(schema: FieldSchema | undefined, prefix: string, isNeeded = true): Row[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, inner]) => {
    const required = isNeeded && (schema?.required?.includes(name) ?? false)
    if (inner.properties) return membersOf(inner, `${prefix}${name}.`, required)
    if (inner.patternProperties) return [row(`${prefix}${name}.NAME`, inner, required)]
    return [row(`${prefix}${name}`, inner, required)]
  })
}

function row(name: string, schema: FieldSchema, required: boolean): Row {
  const { description = '', expected, enum: values } = schema
  const more = values ? `One of ${values.join(', ')}.` : expected ? `Must be ${expected}.` : ''
  const again = isType(schema, 'array') ? 'Give it once for each item.' : ''
  return { name, required, schema, text: [description, more, again].filter((text) => text !== '').join(' ') }
}

/** The example of the documentation; where there is none, the examples of what must be given. */
export function exampleOf(operation: Operation): string {
  const needed = rowsOf(operation)
    .filter(({ required, name }) => required && name in placesOf(operation).path)
    .map(({ name, schema }) => argument(name, schema.examples?.[0] ?? 'VALUE'))
  const given = Object.entries({ ...operation.exampleQuery, ...operation.exampleBody })
  const args = [...needed, ...given.flatMap(([name, value]) => argumentsOf(name, value))]
  return ['sandgate call', operation.id, ...args].join(' ')
}

function argumentsOf(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((item) => argument(name, item))
  if (typeof value !== 'object' || value === null) return [argument(name, value)]
  return Object.entries(value).flatMap(([inner, each]) => argumentsOf(`${name}.${inner}`, each))
}

/** Quoted for a shell where it must be. */
function argument(name: string, value: unknown): string {
  const text = `${name}=${value}`
  return /^[\w.=:/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
