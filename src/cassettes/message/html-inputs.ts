import { utf8 } from './bytes.ts'
import type { FormValue } from './form-spans.ts'
import { nextPointer } from './place.ts'

const INPUT = /<input\b[^>]*>/gi
const ATTRIBUTE = /\s([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi

/**
 * The values of a page's inputs: a form carries its token, and what was typed when it is shown again. The form is sent
 * with these names, and what is a secret there must not stand in clear here.
 */
export function htmlValues(bytes: string): FormValue[] {
  const values: FormValue[] = []
  const seen = new Map<string, number>()
  for (const tag of bytes.matchAll(INPUT)) {
    const attributes = new Map<string, { readonly start: number; readonly raw: string }>()
    for (const found of tag[0].matchAll(ATTRIBUTE)) {
      const raw = found[2] ?? found[3] ?? ''
      // The value ends before its closing quote, which ends the match.
      const start = tag.index + found.index + found[0].length - raw.length - 1
      attributes.set((found[1] ?? '').toLowerCase(), { start, raw })
    }
    const name = attributes.get('name')
    const value = attributes.get('value')
    if (!name || !value) continue
    const end = value.start + value.raw.length
    const pointer = nextPointer(htmlText(name.raw), seen)
    values.push({ pointer, name: htmlText(name.raw), start: value.start, end, value: htmlText(value.raw) })
  }
  return values
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** A text as it stands in an attribute, in either quotes. */
export function htmlAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The text that an attribute stands for. */
export function htmlText(raw: string): string {
  return utf8(raw).replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (all, ten, hex, name) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? all
      const code = ten === undefined ? Number.parseInt(hex, 16) : Number(ten)
      return code <= 0x10ffff ? String.fromCodePoint(code) : all
    },
  )
}
