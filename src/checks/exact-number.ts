const NUMBER = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/**
 * Whether the exact decimal value of a JSON number's text is an integer: `1000.0` and `1e3` are,
 * `9007199254740991.4` and `1000.0000000000000000001` are not, whatever a double makes of them.
 */
export function isExactInteger(text: string): boolean {
  const parts = NUMBER.exec(text)
  if (!parts) return false
  const [, whole = '', fraction = '', exponent = '0'] = parts
  const digits = (whole + fraction).replace(/0+$/, '')
  if (digits === '' || /^0*$/.test(digits)) return true
  const trailingZeros = whole.length + fraction.length - digits.length
  // digits * 10^scale; a long exponent becomes an infinity of the right sign, which compares as it should.
  const scale = Number(exponent) - fraction.length + trailingZeros
  return scale >= 0
}
