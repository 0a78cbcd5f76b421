/** The value of a request header as it was received; several lines of one name are one list. */
export type HeaderValue = string | readonly string[] | undefined

type Weighted = { readonly range: string; readonly quality: number }

/** The ranges of an Accept-like header in their order, in lower case (RFC 9110 section 12.4.2). */
export function weightedRanges(header: HeaderValue): readonly Weighted[] {
  const ranges: Weighted[] = []
  for (const member of String(header ?? '').split(',')) {
    const [range = '', ...parameters] = member.split(';')
    const name = range.trim().toLowerCase()
    const quality = qualityOf(parameters)
    if (name !== '' && quality !== undefined) ranges.push({ range: name, quality })
  }
  return ranges
}

/** 1 without a weight; undefined for one that is not a number, whose range then says nothing. */
function qualityOf(parameters: readonly string[]): number | undefined {
  const weight = parameters.map((each) => each.trim()).find((each) => /^q\s*=/i.test(each))
  if (weight === undefined) return 1
  const text = weight.slice(weight.indexOf('=') + 1).trim()
  return /^[0-9]?(\.[0-9]{1,3})?$/.test(text) && text !== '' ? Math.min(1, Number(text)) : undefined
}

/** Whether the sender is a browser in front of a person: it wants HTML more than a problem document or other JSON. */
export function prefersHtml(accept: HeaderValue): boolean {
  if (accept === undefined) return false
  const ranges = weightedRanges(accept)
  const html = mediaQuality(ranges, 'text/html')
  return JSON_TYPES.every((type) => html > mediaQuality(ranges, type))
}

const JSON_TYPES = ['application/problem+json', 'application/json']

/** The weight of the most specific range that names the type. */
function mediaQuality(ranges: readonly Weighted[], type: string): number {
  const wide = `${type.slice(0, type.indexOf('/'))}/*`
  for (const name of [type, wide, '*/*']) {
    const found = ranges.find(({ range }) => range === name)
    if (found) return found.quality
  }
  return 0
}
