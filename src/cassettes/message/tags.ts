/** A tag of HTML or XML, and where it stands. */
export type Tag = {
  readonly start: number
  /** Behind its closing bracket. */
  readonly end: number
  /** Without a namespace's prefix; empty for comments, declarations and instructions. */
  readonly name: string
  readonly kind: 'open' | 'close' | 'empty' | 'other'
  /** The whole of a CDATA section stands for a text. */
  readonly cdata?: { readonly start: number; readonly end: number }
}

const NAME = /[^\s/>]{1,200}/y

/** The tags of a text in their order, each byte looked at once. A tag that does not end is not one. */
export function* tagsOf(text: string): Generator<Tag> {
  const findEnd = createTagEnds(text)
  for (let at = text.indexOf('<'); at !== -1; ) {
    const tag = tagAt(text, at, findEnd)
    if (tag === undefined) return
    yield tag
    at = text.indexOf('<', tag.end)
  }
}

function tagAt(text: string, start: number, findEnd: (from: number) => number): Tag | undefined {
  if (text.startsWith('<!--', start)) return until(text, start, '-->')
  if (text.startsWith('<![CDATA[', start)) {
    const close = text.indexOf(']]>', start)
    const end = close === -1 ? text.length : close
    const cdata = { start: start + '<![CDATA['.length, end }
    return { start, end: Math.min(end + 3, text.length), name: '', kind: 'other', cdata }
  }
  const isClose = text.charCodeAt(start + 1) === 0x2f
  const end = findEnd(start + 1)
  if (end === -1) return undefined
  NAME.lastIndex = start + (isClose ? 2 : 1)
  const name = NAME.exec(text)?.[0] ?? ''
  if (!/^[A-Za-z_]/.test(name)) return { start, end, name: '', kind: 'other' }
  const isEmpty = text.charCodeAt(end - 2) === 0x2f
  const local = name.slice(name.lastIndexOf(':') + 1)
  return { start, end, name: local, kind: isClose ? 'close' : isEmpty ? 'empty' : 'open' }
}

function until(text: string, start: number, close: string): Tag {
  const found = text.indexOf(close, start)
  return { start, end: found === -1 ? text.length : found + close.length, name: '', kind: 'other' }
}

/**
 * Finds what stands behind the bracket that ends a tag; one inside quotes does not end it. When quotes are found that
 * nobody closes, they count no longer: else every tag after that would be read to the end of the text.
 */
function createTagEnds(text: string): (from: number) => number {
  let quotesCount = true
  return (from) => {
    let quote = 0
    for (let i = from; quotesCount && i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (quote !== 0) {
        if (code === quote) quote = 0
      } else if (code === 0x22 || code === 0x27) quote = code
      else if (code === 0x3e) return i + 1
    }
    quotesCount = false
    return text.indexOf('>', from) + 1 || -1
  }
}

export type Attribute = { readonly name: string; readonly start: number; readonly end: number }

const ATTRIBUTE = /([A-Za-z_][\w:.-]{0,100})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/g

/** The attributes of a tag that have a value. */
export function attributesOf(text: string, { start, end }: Tag): Attribute[] {
  const found: Attribute[] = []
  const inside = text.slice(start, end - 1)
  for (const match of inside.matchAll(ATTRIBUTE)) {
    const raw = match[2] ?? match[3] ?? match[4] ?? ''
    const quoted = match[4] === undefined
    const last = start + match.index + match[0].length - (quoted ? 1 : 0)
    found.push({ name: match[1] ?? '', start: last - raw.length, end: last })
  }
  return found
}
