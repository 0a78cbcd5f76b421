import { partitionPoint } from '../../../partition-point.ts'

/**
 * A secret can be spelled in endless ways: percent-encoded in part or whole, in either case, JSON-escaped, and both
 * on top of each other. Rather than guess the spellings, the text is decoded, and every decoded byte knows where it
 * came from.
 */
export type View = {
  /** Bytes as a Latin-1 string. */
  readonly text: string
  /** Where the decoded bytes from `start` to `end` stand in the text that was given. */
  readonly source: (start: number, end: number) => readonly [start: number, end: number]
}

type Decoder = {
  readonly mark: string
  readonly test: RegExp
  readonly units: RegExp
  readonly decode: (unit: string) => string
}

const PERCENT: Decoder = {
  mark: '%',
  test: /%[0-9a-fA-F]{2}/,
  units: /%[0-9a-fA-F]{2}/g,
  decode: (unit) => String.fromCharCode(Number.parseInt(unit.slice(1), 16)),
}

const PLAIN_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

const JSON_ESCAPES: Decoder = {
  mark: '\\',
  test: /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/,
  units: /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g,
  decode: (unit) => {
    const letter = unit.charAt(1)
    if (letter !== 'u') return PLAIN_ESCAPES[letter] ?? letter
    const units = unit.split('\\u').slice(1)
    const text = String.fromCharCode(...units.map((hex) => Number.parseInt(hex, 16)))
    return Buffer.from(text, 'utf8').toString('latin1')
  },
}

/** ASCII in UTF-16 is ASCII with a NUL at every second place. */
const NUL: Decoder = {
  mark: '\0',
  test: new RegExp(String.fromCharCode(0)),
  units: new RegExp(`${String.fromCharCode(0)}+`, 'g'),
  decode: () => '',
}

/** Percent-encoding is undone up to three times, and so is JSON-escaping; beyond four steps nothing is. */
const STEPS = 4
const REPEATS = 3

/** The text itself, then every decoding of it that differs. */
export function* views(text: string): Generator<View> {
  yield* decodings({ text, source: (start, end) => [start, end] }, STEPS, REPEATS, REPEATS)
}

function* decodings(view: View, steps: number, percents: number, escapes: number): Generator<View> {
  yield view
  if (steps === 0) return
  if (percents > 0 && applies(PERCENT, view))
    yield* decodings(decoded(view, PERCENT), steps - 1, percents - 1, escapes)
  if (escapes > 0 && applies(JSON_ESCAPES, view))
    yield* decodings(decoded(view, JSON_ESCAPES), steps - 1, percents, escapes - 1)
  if (applies(NUL, view)) yield* decodings(decoded(view, NUL), steps - 1, percents, escapes)
}

/** Most texts hold no mark at all, which a search for one byte shows. */
function applies({ mark, test }: Decoder, { text }: View): boolean {
  return text.includes(mark) && test.test(text)
}

/** Only the decoded units are remembered; between them, positions move in step. */
function decoded(view: View, { units, decode }: Decoder): View {
  const pieces: string[] = []
  const at: number[] = []
  const lengths: number[] = []
  const from: number[] = []
  const to: number[] = []
  let length = 0
  let rest = 0
  for (const match of view.text.matchAll(units)) {
    const unit = decode(match[0])
    pieces.push(view.text.slice(rest, match.index), unit)
    length += match.index - rest
    at.push(length)
    lengths.push(unit.length)
    from.push(match.index)
    length += unit.length
    rest = match.index + match[0].length
    to.push(rest)
  }
  pieces.push(view.text.slice(rest))
  const place = (position: number, edge: 'start' | 'end'): number => {
    const unit = lastAtOrBefore(at, position)
    if (unit < 0) return edge === 'start' ? position : position + 1
    const inside = position - (at[unit] ?? 0) - (lengths[unit] ?? 0)
    if (inside >= 0) return (to[unit] ?? 0) + inside + (edge === 'start' ? 0 : 1)
    return edge === 'start' ? (from[unit] ?? 0) : (to[unit] ?? 0)
  }
  return {
    text: pieces.join(''),
    source: (start, end) => view.source(place(start, 'start'), place(end - 1, 'end')),
  }
}

function lastAtOrBefore(sorted: readonly number[], position: number): number {
  return partitionPoint(sorted.length, (i) => (sorted[i] ?? 0) <= position) - 1
}
