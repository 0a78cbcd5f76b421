import { decodeFormOrKeep } from '../../http/percent.ts'
import { createFieldCount } from './bounds.ts'
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

/** The values of `a=b&c=d`, from `start` on. What cannot be decoded is taken as it is. @throws BeyondBound */
export function formValues(bytes: string, start = 0, end = bytes.length): FormValue[] {
  const values: FormValue[] = []
  const seen = new Map<string, number>()
  const count = createFieldCount()
  // Where the next one stands is asked for only when it has been passed: a body may have no other.
  let equals = start - 1
  for (let at = start; at < end; ) {
    const next = bytes.indexOf('&', at)
    const stop = next === -1 || next > end ? end : next
    if (equals < at) equals = indexOrEnd(bytes, '=', at)
    if (stop > at && equals < stop) {
      const name = formText(bytes.slice(at, equals))
      const value = formText(bytes.slice(equals + 1, stop))
      const pointer = nextPointer(name, seen)
      count(pointer)
      values.push({ pointer, name, start: equals + 1, end: stop, value })
    }
    at = stop + 1
  }
  return values
}

function indexOrEnd(text: string, sought: string, from: number): number {
  const found = text.indexOf(sought, from)
  return found === -1 ? text.length : found
}

/** The values of a target's query. */
export function queryValues(target: string): FormValue[] {
  const mark = target.indexOf('?')
  return mark === -1 ? [] : formValues(target, mark + 1)
}

/** What a name or value stands for; one that cannot be decoded stands for itself. */
export function formText(raw: string): string {
  return decodeFormOrKeep(utf8(raw))
}
