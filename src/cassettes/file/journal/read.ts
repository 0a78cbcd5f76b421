import { isUtf8 } from 'node:buffer'
import { CassetteError } from '../../cassette-error.ts'
import { bufferOf } from '../../message/bytes.ts'
import { chainHash } from '../chain.ts'
import { isRecord } from '../checked.ts'
import { type CassetteHeader, readHeader } from '../header.ts'
import type { AbortedLine, DoneLine, JournalLine, OpenLine } from './lines.ts'

/** `opened`: how many requests had been written before it. */
type Ended = { readonly end: DoneLine | AbortedLine; readonly opened: number }

export type ReadJournal = {
  readonly header: CassetteHeader
  readonly opened: readonly OpenLine[]
  /** In the order of the ends. */
  readonly ended: readonly Ended[]
  readonly lines: number
  /** Lines of a torn tail. */
  readonly dropped: number
  /** Up to and with the last whole line. */
  readonly goodBytes: number
  readonly unterminated: boolean
  /** Hash of the last line. */
  readonly head: string
  readonly nextId: number
  /** It was to take the place of a finished cassette. */
  readonly replaces: boolean
}

/**
 * Reads a journal. A crash leaves a torn tail, which is cut and counted; a bad line with good ones after it is
 * damage, and refused.
 */
export function readJournal(bytes: Buffer, path: string): ReadJournal {
  if (bytes.length === 0) throw new CassetteError('empty', path, 'is empty: nothing was recorded.')
  const opened: OpenLine[] = []
  const ended: Ended[] = []
  let header: CassetteHeader | undefined
  let replaces = false
  let seq = 0
  let head = ''
  let nextId = 1
  let at = 0
  let unterminated = false
  while (at < bytes.length) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline === -1 ? bytes.length : newline
    const raw = bytes.subarray(at, end)
    const line = readLine(raw)
    const place = { line: seq + 1 }
    const whole = line !== undefined && line.seq === seq && line.prev === head
    if (!whole) {
      if (header === undefined) throw notAJournal(bytes, line, path)
      if (hasLineAfter(bytes, end)) {
        if (!isUtf8(raw)) throw new CassetteError('not-utf8', path, 'the line is not valid UTF-8.', place)
        const what =
          line === undefined ? 'the line cannot be read' : 'the line does not follow the one before'
        throw new CassetteError('broken-chain', path, `${what}: the file was damaged or edited.`, place)
      }
      break
    }
    if (header === undefined) {
      if (!('cassette' in line)) throw notAJournal(bytes, line, path)
      header = readHeader(line.cassette, path)
      replaces = line.replaces === true
    } else if ('open' in line) {
      opened.push(line.open)
      nextId = Math.max(nextId, line.open.id + 1)
    } else if ('done' in line) ended.push({ end: line.done, opened: opened.length })
    else if ('aborted' in line) ended.push({ end: line.aborted, opened: opened.length })
    else
      throw new CassetteError(
        'incomplete-entry',
        path,
        'the line says neither open, done nor aborted.',
        place,
      )
    seq++
    head = chainHash(raw)
    unterminated = newline === -1
    at = end + 1
  }
  if (header === undefined) throw notAJournal(bytes, undefined, path)
  const goodBytes = Math.min(at, bytes.length)
  const tail = bytes.subarray(goodBytes).toString('latin1')
  const dropped = tail.split('\n').filter((line) => line !== '').length
  return { header, opened, ended, lines: seq, dropped, goodBytes, unterminated, head, nextId, replaces }
}

function readLine(raw: Uint8Array): JournalLine | undefined {
  if (!isUtf8(raw)) return undefined
  try {
    const value: unknown = JSON.parse(bufferOf(raw).toString('utf8'))
    return isRecord(value) && typeof value.seq === 'number' && typeof value.prev === 'string'
      ? (value as JournalLine)
      : undefined
  } catch {
    return undefined
  }
}

function hasLineAfter(bytes: Buffer, from: number): boolean {
  for (let at = from + 1; at < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline === -1 ? bytes.length : newline
    if (readLine(bytes.subarray(at, end)) !== undefined) return true
    at = end + 1
  }
  return false
}

function notAJournal(bytes: Buffer, line: JournalLine | undefined, path: string): CassetteError {
  if (!isUtf8(bytes)) return new CassetteError('not-utf8', path, 'is not valid UTF-8.', { line: 1 })
  if (bytes.toString('latin1').trim() === '')
    return new CassetteError('empty', path, 'is empty: nothing was recorded.')
  if (line !== undefined)
    return new CassetteError('broken-chain', path, 'the first line is missing.', { line: 1 })
  return new CassetteError('undecodable', path, 'is not a journal of a recording.', { line: 1 })
}
