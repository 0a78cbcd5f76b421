/** Nearly every text is ASCII, which is the same in both; a buffer for each would be garbage at once. */
const ASCII = /^[\0-\x7f]*$/

/** The UTF-8 bytes of a text, as a Latin-1 string. */
export function latin1(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** The text of UTF-8 bytes that are held as a Latin-1 string. */
export function utf8(bytes: string): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}

/** The same bytes as a Buffer; nothing is copied. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
