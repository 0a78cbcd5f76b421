/** A header line as it was on the wire: repeats, order and spelling kept. */
export type HeaderLine = readonly [name: string, value: string]

/** `[name, value, name, value, …]`, as Node and undici hand headers over, as lines. */
export function linesOf(raw: readonly (string | Uint8Array)[]): HeaderLine[] {
  const lines: HeaderLine[] = []
  for (let i = 0; i < raw.length; i += 2) lines.push([text(raw[i]), text(raw[i + 1])])
  return lines
}

/** Octets of a header are characters one to one, so that none is changed on the way. */
function text(part: string | Uint8Array | undefined): string {
  return typeof part === 'string' ? part : Buffer.from(part ?? []).toString('latin1')
}

/** Headers that describe the bytes on the wire: they are wrong beside a body that was decoded. */
export const WIRE_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
])

/** Whether a header has this name. Most have not even its length, and a cassette has thousands to ask. */
export function isNamed(name: string, lowerName: string): boolean {
  return name.length === lowerName.length && name.toLowerCase() === lowerName
}

/** The lines but those of one header. */
export function withoutHeader(lines: readonly HeaderLine[], lowerName: string): HeaderLine[] {
  return lines.filter(([name]) => !isNamed(name, lowerName))
}

/** The value of the first line of a header, trimmed. */
export function headerOf(headers: readonly HeaderLine[], lowerName: string): string | undefined {
  for (const [name, value] of headers) {
    if (isNamed(name, lowerName)) return value.trim()
  }
  return undefined
}

/** More than any client sends; what a listener without a setting of its own takes. */
export const HEADER_LINES = 1000

/**
 * Node's parser keeps a thousand header lines and silently drops what follows, so that the lines behind them would
 * never be judged. Without its count the bytes of a head are still bounded, and the lines are counted here.
 */
export function keepEveryHeaderLine(server: { maxHeadersCount: number | null }): void {
  server.maxHeadersCount = 0
}
