import { escapeStep } from '../../http/json-pointer.ts'
import { type JsonNode, typeName } from './json-tree.ts'

/** What stands at one pointer of two JSON values. At least one of the two is there. */
export type JsonPair = {
  readonly pointer: string
  /** The innermost property name on the way; empty at the root. */
  readonly name: string
  readonly was: JsonNode | undefined
  readonly is: JsonNode | undefined
  /** Whether it is an item of an array. */
  readonly isItem: boolean
}

/**
 * Walks two JSON values side by side and visits what cannot be taken apart further: what stands in one of them alone,
 * what is of two types, and two scalars of one type. Two arrays are visited as well, after their items, since only
 * together do they show their lengths. Of repeated names the last one counts, as every JSON parser reads them.
 */
export function eachPair(was: JsonNode, is: JsonNode, visit: (pair: JsonPair) => void): void {
  walk({ pointer: '', name: '', was, is, isItem: false }, visit)
}

function walk(pair: JsonPair, visit: (pair: JsonPair) => void): void {
  const { was, is, pointer, name } = pair
  if (was?.kind === 'object' && is?.kind === 'object') {
    const before = new Map(was.members.map((member) => [member.name, member.node]))
    const now = new Map(is.members.map((member) => [member.name, member.node]))
    for (const key of new Set([...before.keys(), ...now.keys()])) {
      const at = `${pointer}/${escapeStep(key)}`
      walk({ pointer: at, name: key, was: before.get(key), is: now.get(key), isItem: false }, visit)
    }
    return
  }
  if (was?.kind === 'array' && is?.kind === 'array') {
    for (let i = 0; i < Math.max(was.items.length, is.items.length); i++)
      walk({ pointer: `${pointer}/${i}`, name, was: was.items[i], is: is.items[i], isItem: true }, visit)
  }
  visit(pair)
}

/** Whether both are there and of one type. */
export function isOneType({ was, is }: JsonPair): boolean {
  return was !== undefined && is !== undefined && typeName(was) === typeName(is)
}
