import { didYouMean } from '../config/suggest.ts'
import { CATALOGUE, isErrorCode } from '../errors/catalogue.ts'
import { ROWS } from '../operations/operations.ts'

/** A line of the log, as far as anybody asks for it. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly time: string }

export type LogFilter = (line: LogLine) => boolean

export type WantedLines = Readonly<Record<string, string | true>>

const LEVELS: readonly unknown[] = ['info', 'warn', 'error']
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Which lines are wanted; a text says what is wrong with what was asked for. `now`: milliseconds since the epoch. */
export function logFilter(wanted: WantedLines, now: number): LogFilter | string {
  const checks: LogFilter[] = []
  for (const [option, field] of EQUALS) {
    const value = wanted[option]
    if (value !== undefined) checks.push((line) => line[field] === value)
  }
  const mistake =
    addOperation(checks, wanted.operation) ??
    addCodes(checks, wanted.code) ??
    addStatuses(checks, wanted.status) ??
    addLevel(checks, wanted.level) ??
    addSince(checks, wanted.since, now)
  return mistake ?? ((line) => checks.every((check) => check(line)))
}

/** A date, or a date and a time; without a zone it is that of the machine. Date.parse reads far more than is meant. */
const INSTANT = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Options whose value is that of a field. */
const EQUALS = [
  ['partner', 'partner'],
  ['request', 'requestId'],
  ['trace', 'traceId'],
] as const

type Wanted = string | true | undefined
type Mistake = string | undefined

function addOperation(checks: LogFilter[], wanted: Wanted): Mistake {
  if (wanted === undefined) return undefined
  checks.push((line) => line.operation === wanted)
  // Pages have operations too, which no table lists; a name that is nearly one of the interface is a typing mistake.
  const ids = ROWS.map(({ id }) => id)
  const hint = ids.includes(String(wanted)) ? '' : didYouMean(String(wanted), ids)
  return hint === '' ? undefined : `there is no operation ${wanted}${hint}`
}

function addCodes(checks: LogFilter[], wanted: Wanted): Mistake {
  if (wanted === undefined) return undefined
  const codes = String(wanted).toUpperCase().split(',')
  const unknown = codes.find((code) => !isErrorCode(code))
  if (unknown !== undefined) {
    if (/^\d+$/.test(unknown)) return `--code takes an error code; --status ${unknown} takes a status`
    return `there is no error code ${unknown}${didYouMean(unknown, Object.keys(CATALOGUE)) || '; docs/reference/errors.md lists them'}`
  }
  checks.push(({ code }) => typeof code === 'string' && codes.includes(code))
  return undefined
}

function addStatuses(checks: LogFilter[], wanted: Wanted): Mistake {
  if (wanted === undefined) return undefined
  const texts = String(wanted).toLowerCase().split(',')
  const wrong = texts.find((text) => !/^[1-5](?:\d\d|xx)$/.test(text))
  if (wrong !== undefined) return `--status takes a status such as 429, or 5xx, not ${wrong}`
  checks.push(({ status }) =>
    texts.some((text) => (text.endsWith('xx') ? String(status)[0] === text[0] : String(status) === text)),
  )
  return undefined
}

function addLevel(checks: LogFilter[], wanted: Wanted): Mistake {
  if (wanted === undefined) return undefined
  const least = LEVELS.indexOf(wanted)
  if (least === -1) return `--level is ${LEVELS.join(', ')}, not ${wanted}`
  checks.push((line) => LEVELS.indexOf(line.level) >= least)
  return undefined
}

function addSince(checks: LogFilter[], wanted: Wanted, now: number): Mistake {
  if (wanted === undefined) return undefined
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(String(wanted)) ?? []
  const instant = INSTANT.test(String(wanted)) ? Date.parse(String(wanted)) : Number.NaN
  const since = count === undefined ? instant : now - Number(count) * (UNITS[unit] ?? 0)
  if (Number.isNaN(since)) {
    return `--since takes 90s, 15m, 1h or 2d, or an instant such as 2026-01-15T09:30:00Z, not ${wanted}`
  }
  checks.push(({ time }) => Date.parse(time) >= since)
  return undefined
}
