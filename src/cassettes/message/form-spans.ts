import { decodeFormOrKeep } from '../../http/percent.ts'
import { utf8 } from './bytes.ts'
import { nextPointer } from './place.ts'

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
      values.push({ pointer: nextPointer(name, seen), name, start: equals + 1, end: stop, value })
    }
    at = stop + 1
  }
  return values
}

/** The values of a target's query. */
export function queryValues(target: string): FormValue[] {
  const mark = target.indexOf('?')
  return mark === -1 ? [] : formValues(target, mark + 1)
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
    values.push({ pointer: nextPointer(name, seen), name, start, end, value: utf8(bytes.slice(start, end)) })
  }
  return values
}

/** What a name or value stands for; one that cannot be decoded stands for itself. */
export function formText(raw: string): string {
  return decodeFormOrKeep(utf8(raw))
}
