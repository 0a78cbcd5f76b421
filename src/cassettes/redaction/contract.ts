import { ROWS } from '../../operations/operations.ts'
import { type PolicyOptions, policyOf, type RedactionPolicy } from './policy.ts'
import {
  createFieldLookup,
  type FieldRule,
  type FieldShape,
  type FieldTable,
  folded,
} from './stand-ins/field-rules.ts'

type Node = Readonly<Record<string, unknown>>

/** The secrets of OAuth, and of what stands behind a gateway; the contract annotates its own. */
const SECRET_NAMES = [
  'client_secret',
  'client_assertion',
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'api_key',
  'password',
  'secret',
  'private_key',
  'authorization',
  'session_token',
  'csrf_token',
]

/** The table of the contract, from the annotations of its own schemas. */
export const CONTRACT_FIELDS: FieldTable = contractFields()

export const { rule: fieldRule, shape: fieldShape } = createFieldLookup(CONTRACT_FIELDS)

function contractFields(): FieldTable {
  const table = { rules: {} as Record<string, FieldRule>, shapes: {} as Record<string, FieldShape> }
  for (const name of SECRET_NAMES) table.rules[folded(name)] = { kind: 'secret', type: name }
  table.rules[folded('client_id')] = { kind: 'client-id', type: 'client_id' }
  for (const row of ROWS)
    for (const schema of [row.body, row.query, row.success.schema, ...Object.values(row.params ?? {})])
      if (schema) walk(schema as Node, [], table)
  return table
}

type Growing = { readonly rules: Record<string, FieldRule>; readonly shapes: Record<string, FieldShape> }

function walk(node: Node, names: readonly string[], table: Growing): void {
  if (node.personal === true || node.secret === true) learn(node, names, table)
  for (const [name, child] of Object.entries((node.properties ?? {}) as Node))
    walk(child as Node, [...names, name], table)
  for (const key of ['items', 'additionalProperties'])
    if (typeof node[key] === 'object' && node[key] !== null) walk(node[key] as Node, names, table)
  for (const key of ['anyOf', 'oneOf', 'allOf'])
    for (const child of (node[key] ?? []) as Node[]) walk(child, names, table)
}

function learn(node: Node, names: readonly string[], { rules, shapes }: Growing): void {
  const name = names[names.length - 1] ?? ''
  const parent = names[names.length - 2]
  // `number` says nothing without its `document`.
  const bare = name === 'number' || name === 'type' || name === 'value'
  const type = bare && parent ? `${parent}${name.charAt(0).toUpperCase()}${name.slice(1)}` : name
  rules[bare && parent ? `${folded(parent)}/${folded(name)}` : folded(name)] = {
    kind: node.secret === true ? 'secret' : 'personal',
    type,
  }
  shapes[type] = {
    minLength: typeof node.minLength === 'number' ? node.minLength : 0,
    maxLength: typeof node.maxLength === 'number' ? node.maxLength : Number.MAX_SAFE_INTEGER,
    date: node.format === 'date',
    ...(typeof node.pattern === 'string' && { pattern: node.pattern }),
  }
}

/** The policy of the contract. */
export function redactionPolicy(options: PolicyOptions = {}): RedactionPolicy {
  return policyOf(createFieldLookup(CONTRACT_FIELDS), options)
}
