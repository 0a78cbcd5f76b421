import { createHash } from 'node:crypto'
import { canonicalNumber } from '../../http/decimal.ts'
import { callerKey } from '../message/caller-facts.ts'
import type { FormField, MultipartPart } from '../message/form-fields.ts'
import type { JsonNode } from '../message/json-tree.ts'
import type { RawField, RequestFacts } from '../message/request-facts.ts'
import { type FieldHoles, fieldKey, type HoleTree, type Layout } from './layout.ts'

/**
 * Secrets are written as numbered marks. Number and kind are those of the first sight, which another run does not
 * share; what is compared is that a secret stood here.
 */
const MARK = /redacted-[a-z0-9-]+-[0-9]+/g

function writeText(text: string): string {
  return JSON.stringify(text.includes('redacted-') ? text.replace(MARK, 'redacted') : text)
}

/** Properties sorted, numbers by their exact decimal value, arrays in their order. */
function writeJson(
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
function writeFields(fields: readonly FormField[], holes: FieldHoles, tokens: readonly string[]): string {
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

/** Parts in their order; a value of one that has a name may be bound. */
function writeParts(
  parts: readonly MultipartPart[],
  holes: FieldHoles,
  tokens: readonly string[],
  out: string[],
): void {
  const seen = new Map<string, number>()
  for (const { head, name, value } of parts) {
    const repeat = seen.get(name) ?? 0
    seen.set(name, repeat + 1)
    const hole = name === '' ? undefined : holes.get(fieldKey(name, repeat))
    out.push(
      writeText(JSON.stringify(head)),
      hole === undefined ? writeText(value) : (tokens[hole] ?? ''),
      '\n',
    )
  }
}

/** Byte by byte, but for the values of its fields, which may be bound. */
function writeRaw(
  text: string,
  fields: readonly RawField[],
  holes: FieldHoles,
  tokens: readonly string[],
  out: string[],
): void {
  let at = 0
  for (const { pointer, start, end, value } of fields) {
    const hole = holes.get(pointer)
    out.push(writeText(text.slice(at, start)), hole === undefined ? writeText(value) : (tokens[hole] ?? ''))
    at = end
  }
  out.push(writeText(text.slice(at)))
}

/**
 * The canonical key: equal for two requests that ask for the same. `tokens[i]` stands where hole i of the layout
 * is, so that requests that differ in bound values alone have one key.
 */
export function canonicalKey(
  facts: RequestFacts,
  operation: string | undefined,
  layout: Layout,
  tokens: readonly string[],
): string {
  const out: string[] = [facts.method, ' ', operation ?? '']
  for (const [i, segment] of facts.segments.entries()) {
    const hole = layout.path.get(i)
    out.push('/', hole === undefined ? writeText(segment) : (tokens[hole] ?? ''))
  }
  out.push('\n', writeFields(facts.query, layout.query, tokens), '\n', facts.mediaType)
  for (const [name, value] of facts.headers) out.push('\n', name, ':', writeText(value))
  out.push('\n', callerKey(facts.caller, layout.caller), ' ', facts.keyForm, ' ', facts.coding)
  out.push('\n', facts.body.kind, '\n')
  switch (facts.body.kind) {
    case 'json':
      writeJson(facts.body.json.root, layout.body, tokens, out)
      break
    case 'form':
      out.push(writeFields(facts.body.fields, layout.form, tokens))
      break
    case 'multipart':
      writeParts(facts.body.parts, layout.form, tokens, out)
      break
    case 'unread':
      out.push(facts.body.announced)
      break
    case 'raw':
      writeRaw(facts.body.text, facts.body.fields, layout.raw, tokens, out)
  }
  return compact(out.join(''))
}

/** Beyond this a digest stands for a text: what is compared is kept for every entry. */
const COMPACT_LENGTH = 512

/** A short text as it is, a long one by its digest: two differ when what they stand for does. */
export function compact(text: string): string {
  return text.length <= COMPACT_LENGTH ? text : createHash('sha256').update(text).digest('base64url')
}
