import { createFieldCount } from './bounds.ts'
import { utf8 } from './bytes.ts'
import { ENTITY, entityText } from './entities.ts'
import type { FormValue } from './form-spans.ts'
import { htmlTexts } from './html-texts.ts'
import { nextPointer } from './place.ts'
import { attributesOf, tagsOf } from './tags.ts'

/** The elements that have a name and a value. */
const VALUED = new Set(['input', 'meta', 'button', 'param', 'textarea', 'data'])

/**
 * The values of a page's inputs: a form carries its token, and what was typed when it is shown again. The form is sent
 * with these names, and what is a secret there must not stand in clear here. A `meta` tells its content likewise, and a
 * `textarea` what stands between its tags.
 *
 * @throws BeyondBound
 */
export function htmlValues(bytes: string): (FormValue & { readonly names?: readonly string[] })[] {
  const values: (FormValue & { readonly names?: readonly string[] })[] = []
  const seen = new Map<string, number>()
  const count = createFieldCount()
  const add = (rawName: string, start: number, end: number) => {
    const name = htmlText(rawName)
    const pointer = nextPointer(name, seen)
    count(pointer)
    values.push({ pointer, name, start, end, value: htmlText(bytes.slice(start, end)) })
  }
  let area: { readonly name: string; readonly start: number } | undefined
  for (const tag of tagsOf(bytes)) {
    if (tag.kind === 'close') {
      if (area && tag.name.toLowerCase() === 'textarea') {
        add(area.name, area.start, tag.start)
        area = undefined
      }
      continue
    }
    if (tag.kind === 'other' || !VALUED.has(tag.name.toLowerCase())) continue
    const attributes = new Map(attributesOf(bytes, tag).map((one) => [one.name.toLowerCase(), one]))
    const name = attributes.get('name') ?? attributes.get('id')
    const value = attributes.get('value') ?? attributes.get('content')
    const type = attributes.get('type')
    const isPassword = type && /^password$/i.test(bytes.slice(type.start, type.end))
    const named = isPassword ? 'password' : name && bytes.slice(name.start, name.end)
    if (named !== undefined && value) add(named, value.start, value.end)
    if (named !== undefined && tag.name.toLowerCase() === 'textarea') area = { name: named, start: tag.end }
  }
  for (const { names, start, end } of htmlTexts(bytes)) {
    const name = names.at(-1) ?? ''
    const pointer = nextPointer(htmlText(name), seen)
    count(pointer)
    values.push({
      pointer,
      name,
      names: names.map(htmlText),
      start,
      end,
      value: htmlText(bytes.slice(start, end)),
    })
  }
  return inOrder(values)
}

/** By their places; of two that overlap, the first stays. */
function inOrder<T extends FormValue>(values: readonly T[]): T[] {
  const sorted = [...values].sort((a, b) => a.start - b.start)
  let end = -1
  return sorted.filter((value) => {
    if (value.start < end) return false
    end = value.end
    return true
  })
}

/** A text as it stands in an attribute, in either quotes. */
export function htmlAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const ENTITIES = new RegExp(ENTITY, 'g')

/** The text that an attribute stands for. */
export function htmlText(raw: string): string {
  const text = utf8(raw)
  return text.includes('&') ? text.replace(ENTITIES, (all) => entityText(all) ?? all) : text
}
