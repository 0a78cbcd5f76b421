import { utf8 } from './bytes.ts'
import { type FormValue, formText, formValues, multipartValues } from './form-spans.ts'
import { htmlAttribute, htmlText, htmlValues } from './html-inputs.ts'
import { escaped, jsonLeaves, jsonText } from './json-leaves.ts'

/** A value of a body that has a name, and how to write another in its place. */
export type Field = {
  readonly names: readonly string[]
  readonly pointer: string
  readonly start: number
  readonly end: number
  readonly value: string
  readonly number: boolean
  readonly write: (text: string) => string
  /** The value that bytes between `start` and `end` stand for. */
  readonly read: (bytes: string) => string
}

const asIs = (text: string) => text

const percent = (text: string) => encodeURIComponent(text)

const html = (text: string) => plain(htmlAttribute(text))

const plain = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

/** The fields of a body, by what it is or looks like: a body is often not what its label says. */
export function bodyFields(bytes: string, mediaType: string): Field[] {
  if (bytes === '') return []
  if (/^\s*[{["]/.test(bytes) || /[/+]json$/.test(mediaType)) {
    return jsonLeaves(bytes).map(({ names, pointer, start, end, value, kind }) => {
      const number = kind === 'number'
      return { names, pointer, start, end, value, number, write: number ? asIs : escaped, read: jsonText }
    })
  }
  if (mediaType.startsWith('multipart/')) return namedFields(multipartValues(bytes), plain, utf8)
  if (isForm(bytes, mediaType)) return namedFields(formValues(bytes), percent, formText)
  if (mediaType === 'text/html') return namedFields(htmlValues(bytes), html, htmlText)
  return []
}

function namedFields(values: readonly FormValue[], write: Field['write'], read: Field['read']): Field[] {
  // Plain literals: this runs for every request, and spreads cost several times as much.
  return values.map(({ name, pointer, start, end, value }) => {
    return { names: [name], pointer, start, end, value, number: false, write, read }
  })
}

export function queryFields(target: string): Field[] {
  const mark = target.indexOf('?')
  if (mark === -1) return []
  return namedFields(formValues(target, mark + 1), percent, formText)
}

function isForm(bytes: string, mediaType: string): boolean {
  if (mediaType === 'application/x-www-form-urlencoded') return true
  return (mediaType === '' || mediaType === 'text/plain') && /^[\w.~%+-]+=/.test(bytes)
}
