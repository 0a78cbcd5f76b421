import { printable } from '../terminal.ts'
import type { LogLine } from './log-filter.ts'

/** A line of the log for somebody who reads it: a request in columns, anything else with its message and fields. */
export function logText(line: LogLine): string {
  return `${printable(line.msg === 'request' ? requestText(line) : eventText(line))}\n`
}

function requestText({
  time,
  requestId,
  partner,
  operation,
  method,
  status,
  code,
  durationMs,
  ...rest
}: LogLine) {
  const { level, msg, ...more } = rest
  const took = typeof durationMs === 'number' ? `${durationMs.toFixed(1)} ms` : ''
  return [
    time,
    text(status),
    text(partner ?? '-').padEnd(12),
    `${text(method)} ${text(operation)}`.padEnd(26),
    text(code ?? '-').padEnd(24),
    took.padStart(10),
    text(requestId),
    ...Object.entries(more).map(([name, value]) => `${name}=${text(value)}`),
  ].join('  ')
}

function eventText({ time, level, msg, err, ...fields }: LogLine) {
  const more = Object.entries(fields).map(([name, value]) => `${name}=${text(value)}`)
  return [time, text(level).toUpperCase(), text(msg), ...more, ...reason(err)].join('  ')
}

/** Of an error its message; the stack is in the line itself (--json). */
function reason(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return []
  return 'message' in err ? [`: ${text(err.message)}`] : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
