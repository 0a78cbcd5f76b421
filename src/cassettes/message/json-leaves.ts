import { escapeStep } from '../../http/json-pointer.ts'
import { BeyondBound, createFieldCount, MAX_DEPTH } from './bounds.ts'
import { latin1, utf8 } from './bytes.ts'

/** A text or number of a JSON body, and where its bytes stand. */
export type Leaf = {
  /** RFC 6901. */
  readonly pointer: string
  /** The property names on the way, from the outermost; array indices left out. */
  readonly names: readonly string[]
  readonly kind: 'string' | 'number'
  /** Between the quotes of a text; the whole of a number. */
  readonly start: number
  readonly end: number
  readonly value: string
}

type Level = {
  readonly pointer: string
  readonly names: readonly string[]
  readonly array: boolean
  at: string | number
  nameNext: boolean
}

const ROOT: Level = { pointer: '', names: [], array: true, at: '', nameNext: false }

/**
 * The texts and numbers of a body that is JSON, or meant to be: a body that was refused as malformed holds the same
 * secrets and personal data as a good one, so this reader forgives a missing bracket and a broken end.
 *
 * @throws BeyondBound
 */
export function jsonLeaves(bytes: string): Leaf[] {
  const leaves: Leaf[] = []
  const levels: Level[] = []
  const count = createFieldCount()
  const push = (kind: Leaf['kind'], start: number, end: number, value: string) => {
    const level = levels[levels.length - 1]
    const { pointer, names } = level === undefined ? ROOT : below(level)
    count(pointer)
    leaves.push({ pointer, names, kind, start, end, value })
  }
  for (let i = 0; i < bytes.length; i++) {
    const level = levels[levels.length - 1]
    switch (bytes.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(bytes, i + 1)
        const value = jsonText(bytes.slice(i + 1, end))
        if (level && !level.array && level.nameNext) {
          level.at = value
          level.nameNext = false
        } else push('string', i + 1, end, value)
        i = end
        break
      }
      case 0x7b: // {
      case 0x5b: // [
        {
          if (levels.length >= MAX_DEPTH) throw new BeyondBound('too-deep')
          const array = bytes.charCodeAt(i) === 0x5b
          const { pointer, names } = level === undefined ? ROOT : below(level)
          levels.push({ pointer, names, array, at: array ? 0 : '', nameNext: !array })
        }
        break
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop()
        break
      case 0x2c: // ,
        if (level?.array) level.at = Number(level.at) + 1
        else if (level) level.nameNext = true
        break
      default: {
        const end = endOfNumber(bytes, i)
        if (end > i) {
          push('number', i, end, bytes.slice(i, end))
          i = end - 1
        }
      }
    }
  }
  return leaves
}

function below(level: Level): { pointer: string; names: readonly string[] } {
  return {
    pointer: `${level.pointer}/${escapeStep(level.at)}`,
    names: level.array ? level.names : [...level.names, String(level.at)],
  }
}

function endOfString(bytes: string, start: number): number {
  for (let i = start; i < bytes.length; i++) {
    const code = bytes.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22) return i
  }
  return bytes.length
}

function endOfNumber(bytes: string, start: number): number {
  const first = bytes.charCodeAt(start)
  if (first !== 0x2d && (first < 0x30 || first > 0x39)) return start
  let i = start + 1
  while (isOfNumber(bytes.charCodeAt(i))) i++
  return i
}

/** `+-.0123456789eE` */
function isOfNumber(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2e ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x65 ||
    code === 0x45
  )
}

/** The text that stands between the quotes of a JSON text. */
export function jsonText(raw: string): string {
  const text = utf8(raw)
  if (!raw.includes('\\')) return text
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}

/** As it stands between the quotes of a JSON text, in bytes. */
export function escaped(value: string): string {
  return latin1(JSON.stringify(value).slice(1, -1))
}
