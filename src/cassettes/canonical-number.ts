const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

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
