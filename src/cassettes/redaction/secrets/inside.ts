import { isUtf8 } from 'node:buffer'
import { BeyondBound } from '../../message/bounds.ts'
import { type Room, unpacked } from '../../message/packed.ts'

/** A text that stands encoded or packed in another one, and where. */
export type Inner = { readonly text: string; readonly start: number; readonly end: number }

const HEX = /(?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,}/g
/** gzip, and a file of a ZIP archive, wherever they begin: a part of a multipart body, or behind a line of text. */
const PACKED = ['\x1f\x8b\x08', 'PK\x03\x04'] as const
const MAX_PACKED = 32

/** Whether something packed can begin in a text. */
export function mayBePacked(text: string): boolean {
  return PACKED.some((magic) => text.includes(magic))
}

/** The texts inside a text: in base64 and hexadecimal, packed or not. @throws BeyondBound */
export function* innerTexts(text: string, room: Room): Generator<Inner> {
  const runs = base64Runs(text)
  yield* wrapped(text, runs, room)
  for (const run of runs) {
    if (mayBeReadable(run.text)) yield* readable(Buffer.from(run.text, 'base64'), run, room)
    if (BASE32.test(run.text)) yield* readable(base32Bytes(run.text), run, room)
    // Hexadecimal is made of a part of the same characters.
    HEX.lastIndex = 0
    const hexes: Run[] = []
    for (let match = HEX.exec(run.text); match !== null; match = HEX.exec(run.text))
      hexes.push({ start: run.start + match.index, text: match[0] })
    for (const hex of hexes) yield* readable(Buffer.from(hex.text, 'hex'), hex, room)
  }
  if (FOUR_BYTES.test(text)) yield* listed(text, room)
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

/** RFC 4648, in either case. */
const BASE32 = /^(?:[A-Z2-7]{16,}|[a-z2-7]{16,})=*$/
const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function base32Bytes(run: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (const character of run.toUpperCase()) {
    const value = BASE32_ALPHABET.indexOf(character)
    if (value === -1) break
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((held >> bits) & 255)
  }
  return Buffer.from(bytes)
}

/** Bytes one by one: `5a:71:37`, `0x5a, 0x71`, `90, 113, 55`. */
const HEX_LIST =
  /(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{2}(?:[ :,-]{1,2}(?:0x)?[0-9a-fA-F]{2}){7,}(?![0-9A-Za-z])/g
const DECIMAL_LIST = /(?<![0-9.])[0-9]{2,3}(?: ?[, ] ?[0-9]{2,3}){7,}(?![0-9.])/g
const FOUR_BYTES =
  /[0-9a-fA-F]{2}[ :,-]{1,2}(?:0x)?[0-9a-fA-F]{2}[ :,-]{1,2}(?:0x)?[0-9a-fA-F]{2}[ :,-]{1,2}(?:0x)?[0-9a-fA-F]{2}/

function* listed(text: string, room: Room): Generator<Inner> {
  for (const { index, 0: list } of text.matchAll(HEX_LIST)) {
    const bytes = list.split(/[ :,-]+/).map((each) => Number.parseInt(each.replace('0x', ''), 16))
    yield* readable(Buffer.from(bytes), { start: index, text: list }, room)
  }
  for (const { index, 0: list } of text.matchAll(DECIMAL_LIST)) {
    const bytes = list.split(/[ ,]+/).map(Number)
    if (bytes.every((byte) => byte >= 9 && byte < 256))
      yield* readable(Buffer.from(bytes), { start: index, text: list }, room)
  }
}

/** Lines of base64 are at least as long, as in a mail or in PEM; the last one may be shorter. */
const LINE = 60
const NEXT_LINE = /\r?\n([A-Za-z0-9+/_-]{1,100}={0,2})/y

/** Texts whose base64 goes on in the next lines. */
function* wrapped(text: string, runs: readonly Run[], room: Room): Generator<Inner> {
  let done = 0
  for (const { start, text: first } of runs) {
    let end = start + first.length
    if (start < done || first.length < LINE) continue
    const lines = [first]
    NEXT_LINE.lastIndex = end
    for (let match = NEXT_LINE.exec(text); match !== null; match = NEXT_LINE.exec(text)) {
      lines.push(match[1] ?? '')
      end += match[0].length
      done = end
      if ((match[1] ?? '').length < LINE) break
    }
    const run = lines.join('')
    if (lines.length < 2 || !mayBeReadable(run)) continue
    for (const inner of readable(Buffer.from(run, 'base64'), { start, text: run }, room))
      yield { ...inner, end }
  }
}

/** What is shorter holds no secret that is not looked for in its spelling anyway. */
const SHORTEST = 16
const PADDING = 0x3d

/** The value of each character in base64, in both alphabets; 255 for what is none. */
const SIXTETS = new Uint8Array(256).fill(255)
for (const [i, character] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries())
  SIXTETS[character.charCodeAt(0)] = i
SIXTETS[0x2d] = 62
SIXTETS[0x5f] = 63

/** Runs of the characters of base64. Where one cannot end before the next sixteen, the text is gone through in steps of them. */
function base64Runs(text: string): Run[] {
  const runs: Run[] = []
  const isIn = (at: number) => (SIXTETS[text.charCodeAt(at)] ?? 255) < 255
  let from = 0
  for (let at = SHORTEST - 1; at < text.length; ) {
    if (!isIn(at)) {
      from = at + 1
      at += SHORTEST
      continue
    }
    let start = at
    while (start > from && isIn(start - 1)) start--
    if (at - start + 1 < SHORTEST) {
      // Not yet long enough: the run would have to go on as far as this.
      at = start + SHORTEST - 1
      from = start
      continue
    }
    let end = at + 1
    while (end < text.length && isIn(end)) end++
    for (let padding = 0; padding < 2 && text.charCodeAt(end) === PADDING; padding++) end++
    runs.push({ start, text: text.slice(start, end) })
    from = end
    at = end + SHORTEST - 1
  }
  return runs
}

const PACKED_STARTS = new Set([0x1f, 0x50, 0x28, 0x42, 0xfd, 0x37, 0x52, 0x04])

/**
 * Whether what a run stands for can be a text, or something packed, by its first twelve bytes: most runs are identifiers
 * and are none. Nothing is decoded for that.
 */
function mayBeReadable(run: string): boolean {
  return startsLikeUtf8(run) || isWide((index) => byteAt(run, index))
}

function startsLikeUtf8(run: string): boolean {
  let more = 0
  for (let i = 0; i < 12; i++) {
    const byte = byteAt(run, i)
    // The first byte of zlib's header is of this form; of the others there are few.
    if (i === 0 && (byte % 16 === 8 || PACKED_STARTS.has(byte))) return true
    if (more > 0) {
      if (byte >> 6 !== 2) return false
      more--
    } else if (byte >= 0x80) {
      if (byte < 0xc2 || byte > 0xf4) return false
      more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    }
  }
  return true
}

/** A byte of what a run in base64 stands for. */
function byteAt(run: string, index: number): number {
  const at = Math.floor((index * 8) / 6)
  const [high, low] = [SIXTETS[run.charCodeAt(at)] ?? 0, SIXTETS[run.charCodeAt(at + 1)] ?? 0]
  const used = (index * 8) % 6
  return ((high << (used + 2)) | (low >> (4 - used))) & 255
}

type Run = { readonly start: number; readonly text: string }

function* readable(bytes: Buffer, { start, text }: Run, room: Room): Generator<Inner> {
  const inner = unpacked(bytes, room)
  // Most of what looks like base64 is an identifier, whose bytes are no text.
  if (inner === bytes && !isUtf8(bytes) && !(bytes.length >= 8 && isWide((i) => bytes[i]))) return
  yield { text: inner.toString('latin1'), start, end: start + text.length }
}

/** ASCII in UTF-16 has a NUL in every second byte. */
function isWide(byte: (index: number) => number | undefined): boolean {
  return [0, 1].some((odd) => [0, 2, 4, 6].every((i) => byte(i + odd) === 0))
}
