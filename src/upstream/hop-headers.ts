import { type HeaderLine, withoutHeader } from '../http/header-lines.ts'
import { LANE_HEADER } from '../http/lane.ts'

/**
 * What belongs to one connection and is not passed on: RFC 9110 section 7.6.1, and what `Connection` names. `Expect`
 * has been answered by the time that a request is passed on.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/** Says where a body ends or whom a request is for, so `Connection: content-length` does not take it away. */
const KEPT: ReadonlySet<string> = new Set(['content-length', 'host'])

const NONE: readonly string[] = []

/** The lines that travel from end to end, each as it was: repeats, order and spelling kept. */
export function endToEnd(lines: readonly HeaderLine[]): HeaderLine[] {
  let named = NONE
  for (const [name, value] of lines) {
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue
    named = [...named, ...value.split(',').map((token) => token.trim().toLowerCase())]
  }
  return lines.filter(([name]) => {
    const lower = name.toLowerCase()
    return !HOP_BY_HOP.has(lower) && (KEPT.has(lower) || !named.includes(lower))
  })
}

/** What the upstream gets: its own name for itself, and nothing that is for the recorder. */
export function forwardedLines(lines: readonly HeaderLine[], host: string): HeaderLine[] {
  return [['Host', host], ...withoutHeader(withoutHeader(endToEnd(lines), LANE_HEADER), 'host')]
}
