import { attributesOf, tagsOf } from './tags.ts'

/** A text of a page, and what it is called there: by its element, the head of its column, the label before it. */
export type HtmlText = { readonly names: readonly string[]; readonly start: number; readonly end: number }

const LABELS = new Set(['label', 'dt', 'th', 'b', 'strong', 'legend'])
const MAX_LABEL = 60
const MAX_COLUMNS = 200

/**
 * The texts of a page that something names: a cell under a head or beside one, a definition, what stands behind a label
 * or a colon, the text of an element whose class or id says what it is.
 */
export function htmlTexts(bytes: string): HtmlText[] {
  const found: HtmlText[] = []
  let heads: string[] = []
  let row: { readonly text: string; readonly isHead: boolean }[] = []
  let cell = -1
  let isHeadCell = false
  /** What the last text says of the next one. */
  let label: string | undefined
  let element = ''
  let marks: readonly string[] = []
  let from = 0
  const take = (to: number) => {
    const raw = bytes.slice(from, to)
    const text = raw.trim()
    if (text === '' || text === ':') return
    const start = from + raw.indexOf(text.charAt(0))
    const inRow = cell >= 0 && cell < MAX_COLUMNS
    const beside = inRow && cell === 1 && (row[0]?.isHead || heads.length === 0) ? row[0]?.text : undefined
    const names = [...marks, inRow ? heads[cell] : undefined, beside, label].filter(
      (name) => name !== undefined && name !== '',
    )
    const isLabel = text.length <= MAX_LABEL && (text.endsWith(':') || LABELS.has(element))
    if (inRow && row[cell] === undefined) row[cell] = { text: plain(text), isHead: isHeadCell }
    if (names.length > 0) found.push({ names: names as string[], start, end: start + text.length })
    label = isLabel ? plain(text) : undefined
  }
  for (const tag of tagsOf(bytes)) {
    take(tag.start)
    from = tag.end
    const name = tag.name.toLowerCase()
    if (tag.kind === 'other') continue
    if (name === 'table') heads = []
    if (name === 'tr') {
      // A row of heads alone names the columns below it.
      if (row.length > 1 && row.every((one) => one.isHead)) heads = row.map((one) => one.text)
      row = []
      cell = -1
    }
    if (tag.kind === 'close') {
      element = ''
      marks = []
      continue
    }
    if (name === 'td' || name === 'th') {
      cell++
      isHeadCell = name === 'th'
      label = undefined
    }
    element = name
    marks =
      tag.end - tag.start > name.length + 6
        ? attributesOf(bytes, tag)
            .filter((one) => one.name === 'id' || one.name === 'class' || one.name === 'itemprop')
            .map((one) => bytes.slice(one.start, one.end))
            .filter((mark) => mark.length <= MAX_LABEL)
        : []
  }
  take(bytes.length)
  return found
}

function plain(text: string): string {
  return text.length > MAX_LABEL ? '' : text.replace(/\s*:$/, '')
}
