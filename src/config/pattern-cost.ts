/**
 * How many ways a backtracking matcher could try a regular expression, at most. Rules run on text that a client
 * sends, so one that could take long is refused when the configuration is read: `(a+)+`, and `.*.*.*` as well.
 * It over-estimates on purpose, and knows only what a rule needs: no look-around and no back-references.
 */
export const MAX_PATTERN_COST = 250_000

/** The longest text that a rule looks at: an e-mail address. */
const LONGEST = 254

export type PatternCost = { readonly cost: number } | { readonly unsupported: string }

/** `pattern` must be valid already. */
export function patternCost(pattern: string): PatternCost {
  if (/\(\?<?[=!]/.test(pattern)) return { unsupported: 'look-ahead and look-behind' }
  // An escaped backslash before a digit or k is not a back-reference.
  if (/\\(?:[1-9]|k<)/.test(pattern.replaceAll('\\\\', ''))) return { unsupported: 'back-references' }
  const reader = { pattern, at: 0 }
  return { cost: alternatives(reader) }
}

type Reader = { readonly pattern: string; at: number }

/** `a|b|c`, up to the closing parenthesis or the end. */
function alternatives(reader: Reader): number {
  let cost = sequence(reader)
  while (reader.pattern[reader.at] === '|') {
    reader.at++
    cost += sequence(reader)
  }
  return cost
}

function sequence(reader: Reader): number {
  let cost = 1
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern.charAt(reader.at))) {
    const one = atom(reader)
    cost *= repeated(one, quantifier(reader))
  }
  return cost
}

/** Moves past one character, class or group. */
function atom(reader: Reader): number {
  const { pattern } = reader
  if (pattern[reader.at] === '(') {
    const name = /^\((\?:|\?<[^>]*>)?/.exec(pattern.slice(reader.at))
    reader.at += name?.[0].length ?? 1
    const cost = alternatives(reader)
    reader.at++
    return cost
  }
  const token = /^(?:\\[pPu]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|.)/su.exec(pattern.slice(reader.at))
  reader.at += token?.[0].length ?? 1
  return 1
}

type Range = { readonly from: number; readonly to: number }

function quantifier(reader: Reader): Range {
  const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(reader.pattern.slice(reader.at))
  if (found === null) return { from: 1, to: 1 }
  reader.at += found[0].length
  const [, sign, from = '', comma, to] = found
  if (sign !== undefined) return { from: sign === '+' ? 1 : 0, to: sign === '?' ? 1 : LONGEST }
  return { from: Number(from), to: comma === '' ? Number(from) : to === '' ? LONGEST : Number(to) }
}

/** Each number of repetitions is a way; when one repetition has several ways of its own, they multiply. */
function repeated(cost: number, { from, to }: Range): number {
  if (cost === 1) return Math.max(1, to - from + 1)
  let ways = 0
  for (let times = from; times <= to && ways <= MAX_PATTERN_COST; times++) ways += cost ** times
  return ways
}
