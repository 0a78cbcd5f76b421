import type { TSchema } from 'typebox'
import type { Annotations } from './annotations.ts'
import { ROWS } from './operations.ts'

/** A field of the interface: a property of a body or an answer, or a parameter. */
export type NamedField = {
  /** The property names that lead to it, from the outermost to the innermost; never empty. */
  readonly names: readonly string[]
  readonly schema: Node & Annotations
}

type Node = Readonly<Record<string, unknown>>

/** Every field of every operation, in the order of the rows; one that several operations share comes once for each. */
export function namedFields(): NamedField[] {
  return ROWS.flatMap((row) => [
    ...[row.body, row.query, row.success.schema].flatMap((schema) => fieldsIn(schema, [])),
    ...Object.entries(row.params ?? {}).flatMap(([name, schema]) => fieldsOf(schema, [name])),
  ])
}

function fieldsIn(schema: TSchema | Node | undefined, names: readonly string[]): NamedField[] {
  if (schema === undefined) return []
  const node = schema as Node
  const properties = Object.entries((node.properties ?? {}) as Readonly<Record<string, Node>>)
  const elements = [node.items, node.additionalProperties].filter(isNode)
  const variants = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (list ?? []) as readonly Node[])
  return [
    ...properties.flatMap(([name, child]) => fieldsOf(child, [...names, name])),
    ...[...elements, ...variants].flatMap((child) => fieldsIn(child, names)),
  ]
}

function fieldsOf(schema: TSchema | Node, names: readonly string[]): NamedField[] {
  return [{ names, schema: schema as Node }, ...fieldsIn(schema, names)]
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}
