import { ROWS } from '../operations/operations.ts'

/**
 * Which fields hold what, from the annotations of the contract's own schemas. Fields are known by their names,
 * wherever they stand: an error that repeats a field, a body of an operation that the interface does not know and a
 * dossier nested in metadata are covered by the same table.
 */
export type FieldRule = { readonly kind: 'personal' | 'secret' | 'client-id'; readonly type: string }

/** What a stand-in has to satisfy to be a value of its field. */
export type FieldShape = {
  readonly pattern?: RegExp
  readonly minLength: number
  readonly maxLength: number
  readonly date: boolean
}

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

const rules = new Map<string, FieldRule>()
const shapes = new Map<string, FieldShape>()

for (const name of SECRET_NAMES) rules.set(folded(name), { kind: 'secret', type: name })
rules.set(folded('client_id'), { kind: 'client-id', type: 'client_id' })
for (const row of ROWS) {
  for (const schema of [row.body, row.query, row.success.schema, ...Object.values(row.params ?? {})])
    if (schema) walk(schema as Node, [])
}

/** The rule of the innermost named field; `names` are the property names from the outermost to the innermost. */
export function fieldRule(names: readonly string[]): FieldRule | undefined {
  for (let i = names.length - 1; i >= 0; i--) {
    const name = folded(names[i] ?? '')
    const rule = rules.get(name) ?? (i > 0 ? rules.get(`${folded(names[i - 1] ?? '')}/${name}`) : undefined)
    if (rule !== undefined) return rule
  }
  return undefined
}

export function fieldShape(type: string): FieldShape | undefined {
  return shapes.get(type)
}

/** The types of personal data that the contract knows. */
export function personalTypes(): string[] {
  return [...rules.values()].filter(({ kind }) => kind === 'personal').map(({ type }) => type)
}

export function satisfies(shape: FieldShape, value: string): boolean {
  const length = [...value].length
  if (length < shape.minLength || length > shape.maxLength) return false
  if (shape.pattern && !shape.pattern.test(value)) return false
  if (!shape.date) return true
  const time = Date.parse(`${value}T00:00:00.000Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

function walk(node: Node, names: readonly string[]): void {
  if (node.personal === true || node.secret === true) learn(node, names)
  for (const [name, child] of Object.entries((node.properties ?? {}) as Node))
    walk(child as Node, [...names, name])
  for (const key of ['items', 'additionalProperties'])
    if (typeof node[key] === 'object' && node[key] !== null) walk(node[key] as Node, names)
  for (const key of ['anyOf', 'oneOf', 'allOf'])
    for (const child of (node[key] ?? []) as Node[]) walk(child, names)
}

function learn(node: Node, names: readonly string[]): void {
  const name = names[names.length - 1] ?? ''
  const parent = names[names.length - 2]
  // `number` says nothing without its `document`.
  const bare = name === 'number' || name === 'type' || name === 'value'
  const type = bare && parent ? `${parent}${name.charAt(0).toUpperCase()}${name.slice(1)}` : name
  rules.set(bare && parent ? `${folded(parent)}/${folded(name)}` : folded(name), {
    kind: node.secret === true ? 'secret' : 'personal',
    type,
  })
  shapes.set(type, {
    minLength: typeof node.minLength === 'number' ? node.minLength : 0,
    maxLength: typeof node.maxLength === 'number' ? node.maxLength : Number.POSITIVE_INFINITY,
    date: node.format === 'date',
    ...(typeof node.pattern === 'string' && { pattern: new RegExp(node.pattern, 'u') }),
  })
}

/** `firstName`, `first_name` and `First-Name` are one field to whoever reads them. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}
