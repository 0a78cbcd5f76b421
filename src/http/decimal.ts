/** The sign, the digits before and after the point, and the exponent of a number's text. */
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/**
 * Whether the exact decimal value of a JSON number's text is an integer: `1000.0` and `1e3` are,
 * `9007199254740991.4` and `1000.0000000000000000001` are not, whatever a double makes of them.
 */
export function isExactInteger(text: string): boolean {
  const parts = NUMBER.exec(text)
  if (!parts) return false
  const [, , whole = '', fraction = '', exponent = '0'] = parts
  const digits = whole + fraction
  // By hand: /0+$/ takes quadratic time on a long run of zeros that is not the last one.
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--
  if (end === 0) return true
  // digits * 10^scale; a long exponent becomes an infinity of the right sign, which compares as it should.
  const scale = Number(exponent) - fraction.length + (digits.length - end)
  return scale >= 0
}

/**
 * The exact decimal value of a number's text in one spelling: `10`, `10.00` and `1e1` are all `1e1`, and two
 * integers beyond 2^53 stay two. Undefined when the text is not a number.
 */
export function canonicalNumber(text: string): string | undefined {
  const parts = NUMBER.exec(text)
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  // Beyond a double's integers the exponents themselves need exact arithmetic.
  const scale = BigInt(exponent) + BigInt(digits.length - significant.length - fraction.length)
  return `${sign}${significant}e${scale}`
}
