import { isUtf8 } from 'node:buffer'
import { escapeStep, pointerSteps } from '../../http/json-pointer.ts'
import { bufferOf } from './bytes.ts'

type Span = { readonly start: number; readonly end: number }

/** A JSON value with the place where it is spelled: `text.slice(start, end)` is the value as it was written. */
export type JsonNode = Span &
  (
    | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
    | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'number' | 'literal'; readonly text: string }
  )

export type JsonScalar = JsonNode & { readonly kind: 'string' | 'number' | 'literal' }

export type JsonMember = { readonly name: string; readonly node: JsonNode }

export type JsonText = { readonly text: string; readonly root: JsonNode }

/** Deeper bodies are compared as bytes: the edge refuses them, and a reader that recurses must stop somewhere. */
const MAX_DEPTH = 64

/** The JSON of a body, or undefined when the bytes are not UTF-8 JSON (they are then compared as bytes). */
export function readJson(body: Uint8Array): JsonText | undefined {
  if (body.length === 0 || !isUtf8(body)) return undefined
  const text = bufferOf(body).toString('utf8')
  try {
    // The native parser judges; the reader below only has to find where the values are.
    JSON.parse(text)
  } catch {
    return undefined
  }
  const root = readValue({ text, at: 0 }, 0)
  return root && { text, root }
}

type Cursor = { readonly text: string; at: number }

function readValue(cursor: Cursor, depth: number): JsonNode | undefined {
  if (depth > MAX_DEPTH) return undefined
  skipSpace(cursor)
  const { text, at: start } = cursor
  switch (text.charCodeAt(start)) {
    case 0x22: {
      const value = readString(cursor)
      return { kind: 'string', start, end: cursor.at, value }
    }
    case 0x7b: {
      const members: JsonMember[] = []
      const complete = readList(cursor, 0x7d, () => {
        const name = readString(cursor)
        skipSpace(cursor)
        cursor.at++ // the colon
        const node = readValue(cursor, depth + 1)
        if (node) members.push({ name, node })
        return node !== undefined
      })
      return complete ? { kind: 'object', start, end: cursor.at, members } : undefined
    }
    case 0x5b: {
      const items: JsonNode[] = []
      const complete = readList(cursor, 0x5d, () => {
        const node = readValue(cursor, depth + 1)
        if (node) items.push(node)
        return node !== undefined
      })
      return complete ? { kind: 'array', start, end: cursor.at, items } : undefined
    }
    default: {
      while (cursor.at < text.length && !',]} \t\n\r'.includes(text.charAt(cursor.at))) cursor.at++
      const word = text.slice(start, cursor.at)
      const kind = word === 'true' || word === 'false' || word === 'null' ? 'literal' : 'number'
      return { kind, start, end: cursor.at, text: word }
    }
  }
}

/** Reads what stands between brackets; false when an item gave up. */
function readList(cursor: Cursor, closing: number, readItem: () => boolean): boolean {
  cursor.at++ // the opening bracket
  skipSpace(cursor)
  while (cursor.text.charCodeAt(cursor.at) !== closing) {
    if (!readItem()) return false
    skipSpace(cursor)
    if (cursor.text.charCodeAt(cursor.at) === 0x2c) {
      cursor.at++
      skipSpace(cursor)
    }
  }
  cursor.at++
  return true
}

function readString(cursor: Cursor): string {
  const { text, at: start } = cursor
  let i = start + 1
  let escaped = false
  for (let code = text.charCodeAt(i); code !== 0x22; code = text.charCodeAt(++i)) {
    if (code === 0x5c) {
      escaped = true
      i++
    }
  }
  cursor.at = i + 1
  return escaped ? String(JSON.parse(text.slice(start, cursor.at))) : text.slice(start + 1, i)
}

function skipSpace(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    cursor.at++
  }
}

/** The node at an RFC 6901 pointer; of repeated names the last one, as every JSON parser reads them. */
export function nodeAt(root: JsonNode, pointer: string): JsonNode | undefined {
  let node: JsonNode | undefined = root
  for (const name of pointerSteps(pointer)) {
    if (node?.kind === 'array') node = /^(?:0|[1-9][0-9]*)$/.test(name) ? node.items[Number(name)] : undefined
    else if (node?.kind === 'object') node = node.members.findLast((member) => member.name === name)?.node
    else return undefined
  }
  return node
}

/** Whether an object in it has two members of one name, so that not every value is at its pointer. */
export function hasRepeatedNames(node: JsonNode): boolean {
  if (node.kind === 'array') return node.items.some(hasRepeatedNames)
  if (node.kind !== 'object') return false
  const { members } = node
  const isRepeated = new Set(members.map(({ name }) => name)).size < members.length
  return isRepeated || members.some((member) => hasRepeatedNames(member.node))
}

/** What a JSON value is, as a reader of JSON tells values apart. */
export function typeName(node: JsonNode): 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' {
  if (node.kind !== 'literal') return node.kind
  return node.text === 'null' ? 'null' : 'boolean'
}

/** The text of a string, and the spelling of a number or literal. */
export function scalarText(node: JsonScalar): string {
  return node.kind === 'string' ? node.value : node.text
}

/** Visits every string, number and literal with its pointer, in the order of the text. */
export function eachScalar(
  node: JsonNode,
  visit: (scalar: JsonScalar, pointer: string, name: string) => void,
  pointer = '',
  name = '',
): void {
  if (node.kind === 'object') {
    for (const member of node.members) {
      eachScalar(member.node, visit, `${pointer}/${escapeStep(member.name)}`, member.name)
    }
  } else if (node.kind === 'array') {
    for (const [i, item] of node.items.entries()) eachScalar(item, visit, `${pointer}/${i}`, name)
  } else visit(node, pointer, name)
}
