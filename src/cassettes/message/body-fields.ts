import { latin1, utf8 } from './bytes.ts'
import { cellText, csvText, csvValues, isTable } from './csv-values.ts'
import { type FormValue, formText, formValues, queryValues } from './form-spans.ts'
import { htmlAttribute, htmlText, htmlValues } from './html-inputs.ts'
import { escaped, jsonLeaves, jsonText } from './json-leaves.ts'
import { multipartValues } from './multipart-values.ts'
import { withPairNames } from './named-pairs.ts'
import { spliced } from './splice.ts'
import { xmlValues } from './xml-values.ts'

/** A value of a body that has a name, and how to write another in its place. */
export type EditableField = {
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

const html = (text: string) => latin1(htmlAttribute(text))
const cell = (text: string) => latin1(csvText(text))

/** The fields of a body, by what it is or looks like: a body is often not what its label says. @throws BeyondBound */
export function bodyFields(bytes: string, mediaType: string): readonly EditableField[] {
  if (bytes === '') return []
  if (/^(?:\xef\xbb\xbf)?\s*[{["]/.test(bytes) || /[/+]json$/.test(mediaType)) {
    const fields = jsonLeaves(bytes).map(({ names, pointer, start, end, value, kind }) => {
      const number = kind === 'number'
      return { names, pointer, start, end, value, number, write: number ? asIs : escaped, read: jsonText }
    })
    return withPairNames(fields)
  }
  if (mediaType.startsWith('multipart/') || MULTIPART.test(bytes))
    return namedFields(multipartValues(bytes), latin1, utf8)
  if (isForm(bytes, mediaType)) return namedFields(formValues(bytes), encodeURIComponent, formText)
  if (mediaType === 'text/html' || HTML.test(bytes) || isPiece(bytes, mediaType))
    return namedFields(htmlValues(bytes), html, htmlText)
  if (CSV.has(mediaType) || (ANY.test(mediaType) && isTable(bytes)))
    return namedFields(csvValues(bytes), cell, cellText)
  if (!XML.test(bytes)) return []
  const fields = xmlValues(bytes).map(({ cdata, ...value }) => {
    return { ...value, number: false, write: cdata ? latin1 : html, read: cdata ? utf8 : htmlText }
  })
  return withPairNames(fields)
}

/** What bodies of these kinds begin with, whatever their label. */
const MULTIPART = /^--[^\r\n]{1,200}\r?\ncontent-/i
const HTML = /^\s*<(?:!doctype\s+html|html)\b/i
const CSV = new Set(['text/csv', 'application/csv', 'text/tab-separated-values', 'application/vnd.ms-excel'])
/** Labels that say nothing. */
const ANY = /^(?:|text\/plain|application\/octet-stream|application\/x-log)$/
const XML = /^(?:\xef\xbb\xbf)?\s*<[?!A-Za-z_]/

/** A piece of a page in a text. */
function isPiece(bytes: string, mediaType: string): boolean {
  return ANY.test(mediaType) && /^\s*<[a-z!]/i.test(bytes) && PAGE_ELEMENT.test(bytes)
}
const PAGE_ELEMENT = /<(?:table|tr|td|dl|dt|label|strong|input|span|div|p|body|form|h[1-6])[\s>]/i

function namedFields(
  values: readonly (FormValue & { readonly names?: readonly string[] })[],
  write: EditableField['write'],
  read: EditableField['read'],
): EditableField[] {
  return values.map(({ name, names = [name], pointer, start, end, value }) => {
    return { names, pointer, start, end, value, number: false, write, read }
  })
}

/** The parameters of a target, as they stand in it. */
export function queryFields(target: string): EditableField[] {
  return namedFields(queryValues(target), encodeURIComponent, formText)
}

/** `text` with other values in some of its fields, each written as its place asks for; all other bytes stay. */
export function replaceFields(
  text: string,
  fields: readonly EditableField[],
  textOf: (field: EditableField) => string | undefined,
): string {
  const splices = fields.flatMap((field) => {
    const value = textOf(field)
    if (value === undefined || value === field.value) return []
    return [{ start: field.start, end: field.end, text: field.write(value) }]
  })
  return spliced(text, splices)
}

function isForm(bytes: string, mediaType: string): boolean {
  if (mediaType === 'application/x-www-form-urlencoded') return true
  return (mediaType === '' || mediaType === 'text/plain') && /^[\w.~%+-]+=/.test(bytes)
}
