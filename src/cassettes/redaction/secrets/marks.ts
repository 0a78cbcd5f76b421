/**
 * What a text is made of, found in one pass over its bytes: most texts lack what most searches look for, and then need
 * not be searched. Texts are Latin-1 strings that stand for bytes.
 */
export type Marks = {
  /** A sum of the bits below. */
  readonly has: number
  /** The most digits in a row, with what may stand between the digits of one number. */
  readonly digits: number
  /** Whether sixteen characters of base64 stand in a row. */
  readonly hasRun: boolean
  /** Where `:`, `=`, `>` stand, and what separates a word or a quote from what follows. */
  readonly signs: readonly number[]
}

/** `%`, backslash, `&`, NUL, `<`, and what characters that nobody sees begin with. */
export const ESCAPING = 1
export const AT = 2
export const EQUALS = 4
export const SPACE = 8
export const APOSTROPHE = 16
export const PLUS = 32
export const HYPHEN = 64
export const UNDERSCORE = 128
export const SLASH = 256
export const DOLLAR = 512
export const CAPITAL = 1024
export const COLON = 2048
export const AMPERSAND = 4096
export const TAG = 8192
export const LINE = 1 << 14

const DIGIT = 1 << 16
const BETWEEN = 1 << 17
const BASE64 = 1 << 18
const SIGN = 1 << 19
const GAP = 1 << 20
const WORD_END = 1 << 21
const LISTED = 1 << 22

const KINDS = new Uint32Array(256)
const mark = (characters: string, bits: number) => {
  for (let i = 0; i < characters.length; i++) {
    const code = characters.charCodeAt(i)
    KINDS[code] = (KINDS[code] ?? 0) | bits
  }
}
const DIGITS = '0123456789'
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LETTERS = CAPITALS + CAPITALS.toLowerCase()
mark('%\\&\0<\xc2\xe2\xef', ESCAPING)
mark('@', AT)
mark('=', EQUALS)
mark(' \t', SPACE)
mark('\r\n', LINE)
mark("'", APOSTROPHE)
mark('+', PLUS)
mark('-', HYPHEN)
mark('_', UNDERSCORE)
mark('/', SLASH)
mark('$', DOLLAR)
mark(CAPITALS, CAPITAL)
mark(':', COLON)
mark('&?#', AMPERSAND)
mark('<', TAG)
mark(DIGITS, DIGIT)
mark(' .()/-', BETWEEN)
mark(`${LETTERS}${DIGITS}+/_-`, BASE64)
mark(':=>', SIGN)
mark(' \t\r\n', GAP)
mark(',|', LISTED)
mark(`${LETTERS}${DIGITS}_"'\`])`, WORD_END)

const RUN = 16

export function marksOf(text: string): Marks {
  let has = 0
  let digits = 0
  let most = 0
  let run = 0
  let longest = 0
  let before = 0
  const signs: number[] = []
  for (let i = 0; i < text.length; i++) {
    const kind = KINDS[text.charCodeAt(i) & 255] ?? 0
    has |= kind
    if ((kind & BASE64) !== 0) run++
    else {
      if (run > longest) longest = run
      run = 0
    }
    if ((kind & DIGIT) !== 0) digits++
    else if (digits > 0 && (kind & BETWEEN) === 0) {
      if (digits > most) most = digits
      digits = 0
    }
    if ((kind & SIGN) !== 0) signs.push(i)
    else if ((kind & (GAP | LISTED)) !== 0 && (before & WORD_END) !== 0) {
      // A comma between two values of JSON has no space behind it.
      if ((kind & GAP) !== 0 || text.charCodeAt(i + 1) <= 0x20) signs.push(i)
    }
    before = kind
  }
  return { has, digits: Math.max(most, digits), hasRun: Math.max(longest, run) >= RUN, signs }
}

const CHARACTERS = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\w.\x80-\xff-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** Whether a name can begin with a byte. */
export function isNameStart(code: number): boolean {
  return CHARACTERS[code] === 1 && !(code >= 0x2d && code <= 0x39)
}

/** Whether a byte can be a part of a name in a text. */
export function isNameByte(code: number): boolean {
  return CHARACTERS[code] === 1
}
