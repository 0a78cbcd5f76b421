import { isReadableCoding } from '../cassettes/message/encoding.ts'
import type { HeaderLine } from '../http/header-lines.ts'

const READABLE = 'gzip, deflate, br'

/**
 * The header lines of a request that asks for no content coding that the recorder cannot undo: an answer in such a one
 * would be no answer in the cassette. Lines that ask for none are left as they are.
 */
export function readableCodings(lines: readonly HeaderLine[]): readonly HeaderLine[] {
  const asked = lines.filter(isAccepting).flatMap(([, value]) => value.split(','))
  if (asked.every((range) => isReadableRange(range))) return lines
  const kept = asked
    .filter((range) => range.trim() !== '' && isReadableRange(range))
    .map((range) => range.trim())
  const acceptsNone = kept.every((range) => isRefused(range))
  // Who refuses to be answered without a coding means one of those that it named, or any.
  const fallback = kept.some((range) => /^identity\s*;/i.test(range)) ? READABLE : 'identity'
  const value = [...(acceptsNone ? [fallback] : []), ...kept].join(', ')
  let isFirst = true
  return lines.flatMap((line): HeaderLine[] => {
    if (!isAccepting(line)) return [line]
    const put: HeaderLine[] = isFirst ? [[line[0], value]] : []
    isFirst = false
    return put
  })
}

function isAccepting([name]: HeaderLine): boolean {
  return name.toLowerCase() === 'accept-encoding'
}

/** Also a range that refuses a coding, whichever; an empty one says nothing. */
function isReadableRange(range: string): boolean {
  const coding = (range.split(';', 1)[0] ?? '').trim().toLowerCase()
  return coding === '' || isReadableCoding(coding) || isRefused(range)
}

function isRefused(range: string): boolean {
  return /;\s*q\s*=\s*0(?:\.0*)?\s*$/i.test(range)
}
