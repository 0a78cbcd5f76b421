/** Where a text stops being JSON. `expected`: what could stand at `at`, an index into the text, in its place. */
type Fault = { readonly at: number; readonly expected: string }

/** What comes next; `first…`: right after an opening bracket, where a closing one may stand as well. */
type State = 'value' | 'first-value' | 'name' | 'first-name' | 'colon' | 'after'

/** A token's end, or why it has none. */
type Token = number | Fault

const NAME = 'a property name in double quotes'

/**
 * Why a text that JSON.parse has refused is no JSON: the place of its first fault, what was expected there, and the
 * one character that was found. Nothing else of the text is repeated, which may hold secrets and personal data.
 */
export function describeFault(text: string): string {
  const fault = findFault(text)
  // A text that is JSON after all would be a disagreement with JSON.parse.
  if (fault === undefined) return ''
  const { at, expected } = fault
  return ` at ${placeIn(text, at)}: expected ${expected}, found ${foundAt(text, at)}`
}

/** For people: both counted from 1, the column in characters. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `line ${before.length}, column ${[...(before.at(-1) ?? '')].length + 1}`
}

function findFault(text: string): Fault | undefined {
  // By hand and not by recursion: a body may be nested as deep as it is long.
  const open: ('{' | '[')[] = []
  let state: State = 'value'
  let at = 0
  for (;;) {
    at = skipSpace(text, at)
    const char = text[at] ?? ''
    if (state === 'after' && open.length === 0)
      return at === text.length ? undefined : { at, expected: 'the end of the body' }
    if (char !== '' && closes(char, state, open.at(-1))) {
      open.pop()
      state = 'after'
      at += 1
    } else if (state === 'after' || state === 'colon') {
      const inside = open.at(-1)
      if (char !== (state === 'colon' ? ':' : ',')) return { at, expected: separatorIn(inside, state) }
      state = state === 'after' && inside === '{' ? 'name' : 'value'
      at += 1
    } else if ((char === '{' || char === '[') && isValue(state)) {
      open.push(char)
      state = char === '{' ? 'first-name' : 'first-value'
      at += 1
    } else {
      const end = isValue(state) ? valueEnd(text, at, state) : nameEnd(text, at, state)
      if (typeof end !== 'number') return end
      state = isValue(state) ? 'after' : 'colon'
      at = end
    }
  }
}

function closes(char: string, state: State, inside: '{' | '[' | undefined): boolean {
  if (char === '}') return inside === '{' && (state === 'after' || state === 'first-name')
  return char === ']' && inside === '[' && (state === 'after' || state === 'first-value')
}

function isValue(state: State): boolean {
  return state === 'value' || state === 'first-value'
}

function separatorIn(inside: '{' | '[' | undefined, state: State): string {
  if (state === 'colon') return 'a colon'
  return `a comma or ${inside === '{' ? '}' : ']'}`
}

function nameEnd(text: string, at: number, state: State): Token {
  if (text[at] === '"') return stringEnd(text, at)
  return { at, expected: state === 'first-name' ? `${NAME} or }` : NAME }
}

function valueEnd(text: string, at: number, state: State): Token {
  const char = text[at] ?? ''
  if (char === '"') return stringEnd(text, at)
  if (char === '-' || isDigit(char)) return numberEnd(text, at)
  const literal = ['true', 'false', 'null'].find((word) => char !== '' && word.startsWith(char))
  if (literal === undefined) return { at, expected: state === 'first-value' ? 'a value or ]' : 'a value' }
  for (let i = 1; i < literal.length; i++)
    if (text[at + i] !== literal[i]) return { at: at + i, expected: `the word ${literal}` }
  return at + literal.length
}

function stringEnd(text: string, start: number): Token {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) return i + 1
    if (code < 0x20) return { at: i, expected: 'an escape such as \\u000a' }
    if (code !== 0x5c) continue
    i += 1
    if (text[i] === 'u') {
      for (let k = 0; k < 4; k++) {
        i += 1
        if (!/^[0-9a-fA-F]$/.test(text[i] ?? ''))
          return { at: i, expected: 'four hexadecimal digits after \\u' }
      }
    } else if (!'"\\/bfnrt'.includes(text[i] ?? ' ')) {
      return { at: i, expected: 'one of " \\ / b f n r t u after a backslash' }
    }
  }
  return { at: text.length, expected: 'a double quote that ends the text' }
}

function numberEnd(text: string, start: number): Token {
  let at = text[start] === '-' ? start + 1 : start
  if (!isDigit(text[at])) return { at, expected: 'a digit' }
  if (text[at] === '0' && isDigit(text[at + 1]))
    return { at: at + 1, expected: 'the end of the number, which begins with 0' }
  at = digitsEnd(text, at)
  if (text[at] === '.') {
    if (!isDigit(text[at + 1])) return { at: at + 1, expected: 'a digit' }
    at = digitsEnd(text, at + 1)
  }
  if (text[at] !== 'e' && text[at] !== 'E') return at
  at += text[at + 1] === '+' || text[at + 1] === '-' ? 2 : 1
  return isDigit(text[at]) ? digitsEnd(text, at) : { at, expected: 'a digit' }
}

function digitsEnd(text: string, start: number): number {
  let at = start
  while (isDigit(text[at])) at += 1
  return at
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9'
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && ' \t\n\r'.includes(text[at] ?? '')) at += 1
  return at
}

const FOUND: Readonly<Record<string, string>> = {
  '"': 'a double quote',
  "'": 'a single quote (JSON takes double quotes)',
  ',': 'a comma',
  ':': 'a colon',
  '.': 'a full stop',
  '/': 'a slash (JSON has no comments)',
  '#': '# (JSON has no comments)',
  '\t': 'a tab',
  '\n': 'a line break',
  '\r': 'a line break',
  '\0': 'NUL (is the body in UTF-16?)',
  '\ufeff': 'a byte order mark',
  '\u00a0': 'a no-break space',
  '\u201c': 'a curly quote',
  '\u201d': 'a curly quote',
}

function foundAt(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (at >= text.length) return 'the end of the body'
  // A comma is behind us, and nothing else is in between.
  const isLeft = (char === '}' || char === ']') && text.slice(0, at).trimEnd().endsWith(',')
  if (isLeft) return `${char} (there is a comma too many)`
  if (/^[A-Za-z]$/.test(char)) return `the letter ${char}`
  if (isDigit(char)) return `the digit ${char}`
  if (Object.hasOwn(FOUND, char)) return FOUND[char] ?? ''
  const code = text.codePointAt(at) ?? 0
  return code > 0x20 && code < 0x7f ? char : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
