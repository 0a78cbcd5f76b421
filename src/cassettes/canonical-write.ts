import type { FieldHoles, HoleTree } from './bindings-layout.ts'
import type { Field } from './canonical-fields.ts'
import type { JsonNode } from './canonical-json.ts'
import { canonicalNumber } from './canonical-number.ts'

/**
 * Secrets are written as numbered marks. The number is the order of first sight, which another run does not share;
 * what is compared is that a secret of this kind stood here.
 */
const MARK = /redacted-([a-z0-9-]+)-[0-9]+/g

export function writeText(text: string): string {
  return JSON.stringify(text.includes('redacted-') ? text.replace(MARK, 'redacted-$1') : text)
}

/** Properties sorted, numbers by their exact decimal value, arrays in their order. */
export function writeJson(
  node: JsonNode,
  holes: HoleTree | undefined,
  tokens: readonly string[],
  out: string[],
): void {
  switch (node.kind) {
    case 'object': {
      const members =
        node.members.length > 1
          ? [...node.members].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
          : node.members
      out.push('{')
      for (const { name, node: value } of members) {
        out.push(JSON.stringify(name), ':')
        writeJson(value, holes?.children.get(name), tokens, out)
        out.push(',')
      }
      out.push('}')
      break
    }
    case 'array':
      out.push('[')
      for (const [i, item] of node.items.entries()) {
        writeJson(item, holes?.children.get(String(i)), tokens, out)
        out.push(',')
      }
      out.push(']')
      break
    case 'string':
      out.push(holes?.hole === undefined ? writeText(node.value) : (tokens[holes.hole] ?? ''))
      break
    case 'number':
      // The mark keeps a number and a text at one place apart.
      out.push(
        holes?.hole === undefined
          ? (canonicalNumber(node.text) ?? node.text)
          : `#${tokens[holes.hole] ?? ''}`,
      )
      break
    default:
      out.push(node.text)
  }
}

/** A multimap in one order: by name, then by value. */
export function writeFields(fields: readonly Field[], holes: FieldHoles, tokens: readonly string[]): string {
  if (fields.length === 0) return ''
  const seen = new Map<string, number>()
  const written = fields.map(({ name, value }) => {
    const repeat = seen.get(name) ?? 0
    seen.set(name, repeat + 1)
    const hole = holes.size === 0 ? undefined : holes.get(fieldKey(name, repeat))
    return `${JSON.stringify(name)}=${hole === undefined ? writeText(value) : (tokens[hole] ?? '')}`
  })
  return written.sort().join('&')
}

export function fieldKey(name: string, repeat: number): string {
  return `${repeat} ${name}`
}
