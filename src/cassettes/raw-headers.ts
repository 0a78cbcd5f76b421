import type { HeaderLine } from './interaction.ts'

/** `[name, value, name, value, …]`, as Node and undici hand headers over, as lines. */
export function linesOf(raw: readonly (string | Buffer)[]): HeaderLine[] {
  const lines: HeaderLine[] = []
  for (let i = 0; i < raw.length; i += 2) lines.push([text(raw[i]), text(raw[i + 1])])
  return lines
}

/** Octets of a header are characters one to one, so that none is changed on the way. */
function text(part: string | Buffer | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '')
}
