import { SCOPES } from '../../config/contract.ts'
import { CATALOGUE } from '../../errors/catalogue.ts'
import { type NamedField, namedFields } from '../../operations/named-fields.ts'
import { ROWS } from '../../operations/operations.ts'
import { type PolicyOptions, policyOf, type RedactionPolicy } from './policy.ts'
import {
  createFieldLookup,
  type FieldRule,
  type FieldShape,
  type FieldTable,
  folded,
} from './stand-ins/field-rules.ts'

/** What other sandboxes and metadata call the same, folded, in English and French. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  phone:
    'phones phonenumber phonenumbers msisdn mobile mobilenumber mobilephone telephone telephonenumber numerotelephone',
  email: 'emails mail emailaddress mailaddress courriel adressemail',
  firstName: 'givenname forename prenom prenoms middlename',
  lastName: 'surname familyname nomdefamille fullname customername beneficiaryname accountholder holdername',
  dateOfBirth: 'birthdate birthday dob datedenaissance datenaissance',
}

/** The table of the contract, from the annotations of its fields. */
export const CONTRACT_FIELDS: FieldTable = contractFields()

export const { rule: fieldRule, shape: fieldShape } = createFieldLookup(CONTRACT_FIELDS)

function contractFields(): FieldTable {
  const rules: Record<string, FieldRule> = {}
  const shapes: Record<string, FieldShape> = {}
  const fields = namedFields()
  for (const field of fields) {
    const kind = kindOf(field.schema)
    if (kind === undefined) continue
    const { name, type } = nameOf(field.names)
    rules[name] = { kind, type }
    if (kind !== 'client-id') shapes[type] = shapeOf(field.schema)
  }
  for (const [type, others] of Object.entries(OTHER_NAMES)) {
    const rule = rules[folded(type)]
    for (const name of rule ? others.split(' ') : []) rules[name] ??= { kind: 'personal', type }
  }
  const names = fields.flatMap(({ names }) => names.slice(-1))
  return { rules, shapes, names: [...new Set(names)], words: [...new Set([...names, ...vocabulary(fields)])] }
}

/** What stands on every page of this interface: scopes, operations, paths, error codes, and the values of lists. */
function vocabulary(fields: readonly NamedField[]): string[] {
  const listed = fields.flatMap(({ schema: { enum: list, const: one } }) => [
    ...(Array.isArray(list) ? list : []),
    one,
  ])
  return [
    ...SCOPES,
    ...ROWS.flatMap(({ id, path, method }) => [id, path, method]),
    ...Object.keys(CATALOGUE),
    ...listed.filter((value) => typeof value === 'string'),
  ]
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
