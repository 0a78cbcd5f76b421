import { escapeStep } from '../../http/json-pointer.ts'
import { BeyondBound, createFieldCount, MAX_DEPTH } from './bounds.ts'
import { utf8 } from './bytes.ts'
import { htmlText } from './html-inputs.ts'
import { attributesOf, type Tag, tagsOf } from './tags.ts'

/** A text or attribute of an XML body, and where its bytes stand. */
export type XmlValue = {
  /** The names of the elements on the way, and `@name` for an attribute; `/1` and so on for a repeat. */
  readonly pointer: string
  readonly names: readonly string[]
  readonly start: number
  readonly end: number
  readonly value: string
  /** Between the marks of a CDATA section nothing is escaped. */
  readonly cdata: boolean
}

type Level = {
  readonly name: string
  readonly pointer: string
  readonly names: readonly string[]
  seen: Map<string, number>
}

/** The values of a body that is XML, or meant to be: what is not closed is read all the same. @throws BeyondBound */
export function xmlValues(bytes: string): XmlValue[] {
  const values: XmlValue[] = []
  const count = createFieldCount()
  const root: Level = { name: '', pointer: '', names: [], seen: new Map() }
  const levels = [root]
  const add = (pointer: string, names: readonly string[], start: number, end: number, cdata: boolean) => {
    const raw = bytes.slice(start, end)
    if (raw.trim() === '') return
    count(pointer)
    values.push({ pointer, names, start, end, value: cdata ? utf8(raw) : htmlText(raw), cdata })
  }
  let textFrom = 0
  for (const tag of tagsOf(bytes)) {
    const level = levels.at(-1) ?? root
    if (levels.length > 1)
      addText(bytes, textFrom, tag.start, (start, end) => add(textAt(level), level.names, start, end, false))
    if (tag.cdata && levels.length > 1) add(textAt(level), level.names, tag.cdata.start, tag.cdata.end, true)
    textFrom = tag.end
    if (tag.kind === 'close') close(levels, tag)
    else if (tag.kind !== 'other') {
      if (levels.length > MAX_DEPTH) throw new BeyondBound('too-deep')
      const inner = below(level, tag.name)
      for (const { name, start, end } of attributesOf(bytes, tag)) {
        const local = name.slice(name.lastIndexOf(':') + 1)
        add(`${inner.pointer}/@${escapeStep(local)}`, [...inner.names, local], start, end, false)
      }
      if (tag.kind === 'open') levels.push(inner)
    }
  }
  return values
}

/** Text without the white space around it, which is layout. */
function addText(bytes: string, from: number, to: number, take: (start: number, end: number) => void): void {
  const raw = bytes.slice(from, to)
  const text = raw.trim()
  if (text === '') return
  const start = from + raw.indexOf(text.charAt(0))
  take(start, start + text.length)
}

/** The pointer of the next text of an element: its own, or numbered after a child. */
function textAt(level: Level): string {
  const before = level.seen.get('') ?? 0
  level.seen.set('', before + 1)
  return before === 0 ? level.pointer : `${level.pointer}/${before}`
}

function below({ pointer, names, seen }: Level, name: string): Level {
  const before = seen.get(name) ?? 0
  seen.set(name, before + 1)
  const step = escapeStep(name)
  return {
    name,
    pointer: before === 0 ? `${pointer}/${step}` : `${pointer}/${step}/${before}`,
    names: [...names, name],
    seen: new Map(),
  }
}

/** Goes up to the element that is closed; a tag that closes nothing changes nothing. */
function close(levels: Level[], { name }: Tag): void {
  for (let i = levels.length - 1; i > 0; i--) {
    if (levels[i]?.name !== name) continue
    levels.length = i
    return
  }
}
