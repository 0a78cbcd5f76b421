/** Nearly every text is ASCII, which is the same in both; a buffer for each would keep the collector busy. */
const ASCII = /^[\0-\x7f]*$/

/** The UTF-8 bytes of a text, as a Latin-1 string. */
export function latin1(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

export function utf8(bytes: string): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}
