import { SCOPES } from '../../config/contract.ts'
import { type NamedField, namedFields } from '../../operations/named-fields.ts'
import { type PolicyOptions, policyOf, type RedactionPolicy } from './policy.ts'
import {
  createFieldLookup,
  type FieldRule,
  type FieldShape,
  type FieldTable,
  folded,
} from './stand-ins/field-rules.ts'

/** The secrets that other interfaces have; those of ours are annotated where the fields are. */
const SECRET_NAMES = [
  'client_assertion',
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

/** The table of the contract, from the annotations of its fields. */
export const CONTRACT_FIELDS: FieldTable = contractFields()

export const { rule: fieldRule, shape: fieldShape } = createFieldLookup(CONTRACT_FIELDS)

function contractFields(): FieldTable {
  const rules: Record<string, FieldRule> = {}
  const shapes: Record<string, FieldShape> = {}
  for (const name of SECRET_NAMES) rules[folded(name)] = { kind: 'secret', type: name }
  const fields = namedFields()
  for (const field of fields) {
    const kind = kindOf(field.schema)
    if (kind === undefined) continue
    const { name, type } = nameOf(field.names)
    rules[name] = { kind, type }
    if (kind !== 'client-id') shapes[type] = shapeOf(field.schema)
  }
  const words = new Set([...SCOPES, ...fields.flatMap(({ names }) => names.slice(-1))])
  return { rules, shapes, words: [...words] }
}

function kindOf({ secret, personal, clientId }: NamedField['schema']): FieldRule['kind'] | undefined {
  if (secret) return 'secret'
  if (personal) return 'personal'
  return clientId ? 'client-id' : undefined
}

function nameOf(names: readonly string[]): { name: string; type: string } {
  const name = names.at(-1) ?? ''
  const parent = names.at(-2)
  // `number` says nothing without its `document`.
  const isBare = name === 'number' || name === 'type' || name === 'value'
  if (!isBare || parent === undefined) return { name: folded(name), type: name }
  const type = `${parent}${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return { name: `${folded(parent)}/${folded(name)}`, type }
}

function shapeOf({ minLength, maxLength, format, pattern, standIn }: NamedField['schema']): FieldShape {
  return {
    minLength: typeof minLength === 'number' ? minLength : 0,
    maxLength: typeof maxLength === 'number' ? maxLength : Number.MAX_SAFE_INTEGER,
    date: format === 'date',
    ...(typeof pattern === 'string' && { pattern }),
    ...(standIn !== undefined && { standIn }),
  }
}

/** The policy of the contract. */
export function redactionPolicy(options: PolicyOptions = {}): RedactionPolicy {
  return policyOf(createFieldLookup(CONTRACT_FIELDS), options)
}
