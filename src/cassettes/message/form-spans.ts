import { utf8 } from './bytes.ts'

/** A value of a form or a query, and where its bytes stand. */
export type FormValue = {
  /** `/name`, or `/name/1` for a repeat. */
  readonly pointer: string
  readonly name: string
  readonly start: number
  readonly end: number
  readonly value: string
}

/** The values of `a=b&c=d`, from `start` on. What cannot be decoded is taken as it is. */
export function formValues(bytes: string, start = 0, end = bytes.length): FormValue[] {
  const values: FormValue[] = []
  const seen = new Map<string, number>()
  for (let at = start; at < end; ) {
    const next = bytes.indexOf('&', at)
    const stop = next === -1 || next > end ? end : next
    const equals = bytes.indexOf('=', at)
    if (stop > at && equals !== -1 && equals < stop) {
      const name = formText(bytes.slice(at, equals))
      const value = formText(bytes.slice(equals + 1, stop))
      values.push({ pointer: pointerOf(name, seen), name, start: equals + 1, end: stop, value })
    }
    at = stop + 1
  }
  return values
}

/** The values of multipart/form-data, found by the names of the parts. */
export function multipartValues(bytes: string): FormValue[] {
  const values: FormValue[] = []
  const seen = new Map<string, number>()
  const part = /content-disposition:[^\r\n]*?\bname="?([^";\r\n]+)"?[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n/gi
  for (const match of bytes.matchAll(part)) {
    const start = match.index + match[0].length
    const stop = /\r?\n--/.exec(bytes.slice(start))
    const end = stop === null ? bytes.length : start + stop.index
    const name = utf8(match[1] ?? '')
    values.push({ pointer: pointerOf(name, seen), name, start, end, value: utf8(bytes.slice(start, end)) })
  }
  return values
}

/** Of the next value of a name. */
export function pointerOf(name: string, seen: Map<string, number>): string {
  const count = seen.get(name) ?? 0
  seen.set(name, count + 1)
  return pointerAt(name, count)
}

/** `/name`, or `/name/1` for a value that has another of its name before it. */
export function pointerAt(name: string, count: number): string {
  const step =
    name.includes('~') || name.includes('/') ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name
  return count === 0 ? `/${step}` : `/${step}/${count}`
}

export function formText(raw: string): string {
  const text = utf8(raw)
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
