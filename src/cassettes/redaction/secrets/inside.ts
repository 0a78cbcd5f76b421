import { isUtf8 } from 'node:buffer'
import { BeyondBound } from '../../message/bounds.ts'
import { type Room, unpacked } from '../../message/packed.ts'

/** A text that stands encoded or packed in another one, and where. */
export type Inner = { readonly text: string; readonly start: number; readonly end: number }

/** What is shorter holds no secret that is not looked for in its spelling anyway. */
const BASE64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g
const HEX = /(?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,}/g
/** gzip, and a file of a ZIP archive, wherever they begin: a part of a multipart body, or behind a line of text. */
const PACKED = ['\x1f\x8b\x08', 'PK\x03\x04'] as const
const MAX_PACKED = 32

/** The texts inside a text: in base64 and hexadecimal, packed or not. @throws BeyondBound */
export function* innerTexts(text: string, room: Room): Generator<Inner> {
  BASE64.lastIndex = 0
  const runs: Run[] = []
  for (let match = BASE64.exec(text); match !== null; match = BASE64.exec(text))
    runs.push({ start: match.index, text: match[0] })
  for (const run of runs) {
    yield* readable(Buffer.from(run.text, 'base64'), run, room)
    // Hexadecimal is made of a part of the same characters.
    for (const { index, 0: hex } of run.text.matchAll(HEX))
      yield* readable(Buffer.from(hex, 'hex'), { start: run.start + index, text: hex }, room)
  }
  let tries = 0
  for (const magic of PACKED) {
    for (let at = text.indexOf(magic); at !== -1; at = text.indexOf(magic, at + 1)) {
      if (++tries > MAX_PACKED) throw new BeyondBound('unpacks-too-far')
      const bytes = Buffer.from(text.slice(at), 'latin1')
      const inner = unpacked(bytes, room)
      if (inner !== bytes) yield { text: inner.toString('latin1'), start: at, end: text.length }
    }
  }
}

type Run = { readonly start: number; readonly text: string }

function* readable(bytes: Buffer, { start, text }: Run, room: Room): Generator<Inner> {
  const inner = unpacked(bytes, room)
  // Most of what looks like base64 is an identifier, whose bytes are no text.
  if (inner === bytes && !isUtf8(bytes) && !isWide(bytes)) return
  yield { text: inner.toString('latin1'), start, end: start + text.length }
}

/** ASCII in UTF-16 has a NUL in every second byte. */
function isWide(bytes: Buffer): boolean {
  return bytes.length >= 8 && [0, 1].some((odd) => [0, 2, 4, 6].every((i) => bytes[i + odd] === 0))
}
