import { instant } from '../../clock.ts'

/** Milliseconds since the epoch of the recording -> of the replay. */
export type ToLive = (recordedMs: number) => number

/** The instant of an RFC 3339 text; undefined for other texts. */
export function instantOf(text: string): number | undefined {
  let found: number | undefined
  instantShift(text)?.((ms) => {
    found = ms
    return ms
  })
  return found
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})([Tt ])(\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/

/** A recorded instant, read once: renders it at another time. Undefined where that time cannot be spelled. */
export type Shift = (toLive: ToLive) => string | undefined

/** Re-renders an RFC 3339 instant in its own spelling: precision, offset and letters. Undefined for other texts. */
export function instantShift(text: string): Shift | undefined {
  const parts = RFC_3339.exec(text)
  if (!parts) return undefined
  const [, date = '', separator = 'T', time = '', fraction = '', zone = 'Z'] = parts
  const ms = Date.parse(`${date}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}${zone.toUpperCase()}`)
  if (Number.isNaN(ms)) return undefined
  const isUsual = separator === 'T' && fraction.length === 3 && zone === 'Z'
  return (toLive) => {
    const live = toLive(ms)
    if (live === ms) return text
    const local = (fraction === '' ? toWholeSecond(live) : live) + offsetMs(zone)
    if (!isRenderable(local)) return undefined
    if (isUsual) return instant(local)
    const iso = new Date(local).toISOString()
    const digits = iso.slice(20, 23) + fraction.slice(3)
    const precision = fraction === '' ? '' : `.${digits.slice(0, fraction.length)}`
    return `${iso.slice(0, 10)}${separator}${iso.slice(11, 19)}${precision}${zone}`
  }
}

/** Re-renders seconds or milliseconds since the epoch; shorter numbers are durations and stay. */
export function epochShift(text: string): Shift | undefined {
  if (!/^[1-9][0-9]{9}(?:[0-9]{3})?$/.test(text)) return undefined
  const unit = text.length === 10 ? 1000 : 1
  return (toLive) => String(Math.round(toLive(Number(text) * unit) / unit))
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Re-renders a date of RFC 9110 section 5.6.7. */
export function httpDateShift(text: string): Shift | undefined {
  if (!HTTP_DATE.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  return (toLive) => {
    const live = toWholeSecond(toLive(ms))
    return isRenderable(live) ? httpDate(live) : undefined
  }
}

let lastDate = { ms: Number.NaN, text: '' }

/** Answers of one second have one text for it. */
function httpDate(ms: number): string {
  if (ms !== lastDate.ms) lastDate = { ms, text: new Date(ms).toUTCString() }
  return lastDate.text
}

/** Whether a field holds an instant, by its name: `openedAt`, `expires_at`, `asOf`. */
export function isInstantName(name: string): boolean {
  return /[a-z](?:At|_at)$/.test(name) || name === 'asOf'
}

/** Rounds. The recorded text was cut to whole seconds when it was written; cut once more, it could show the second before. */
function toWholeSecond(ms: number): number {
  return Math.round(ms / 1000) * 1000
}

function offsetMs(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const sign = zone.startsWith('-') ? -1 : 1
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))) * 60_000
}

/** Years of four digits are all that RFC 3339 and HTTP can spell. */
function isRenderable(ms: number): boolean {
  return ms >= -62_167_219_200_000 && ms < 253_402_300_800_000
}
