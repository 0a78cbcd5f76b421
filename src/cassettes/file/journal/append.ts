import { closeSync, constants, existsSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFileSync, syncDirectory, writeAllSync } from '../../../replace-file.ts'
import { unwritable } from '../../cassette-error.ts'
import { chainHash } from '../chain.ts'
import type { CassetteHeader } from '../header.ts'
import { readFile } from '../read-file.ts'
import type { JournalEvent, JournalLine } from './lines.ts'
import { readJournal } from './read.ts'

export type Journal = {
  /**
   * Writes the events and returns once they are on the disk (one write and one fdatasync for all of them). What has
   * been appended is never lost; an append that throws has left nothing behind, or a torn tail that is cut later. Returns
   * the lines.
   */
  readonly append: (events: readonly JournalEvent[]) => string
  /** Exchanges of a journal that is continued have ids below this one. */
  readonly nextId: number
  /** What a crash had left: lines that were kept, and lines at the end that were cut. */
  readonly recovered: { readonly recovered: number; readonly dropped: number } | undefined
  /** Puts other events in the place of those that are there; after a crash the old ones or the new ones stand. */
  readonly rewrite: (change: (event: JournalEvent) => JournalEvent) => void
  readonly close: () => void
}

/**
 * Opens the journal for one writer (who holds the lock). A journal that is there already is continued after its last
 * whole line; its own header stays.
 */
export function openJournal(path: string, header: CassetteHeader, replaces = false): Journal {
  const resumed = existsSync(path) ? readJournal(readFile(path), path) : undefined
  const flags = constants.O_WRONLY | constants.O_CREAT | (resumed ? 0 : constants.O_EXCL)
  let fd: number
  try {
    // Redacted as it is, a journal is nobody else's business until it has been scanned and finished.
    fd = openSync(path, flags, 0o600)
  } catch (cause) {
    throw unwritable(path, cause)
  }
  let length = resumed?.goodBytes ?? 0
  let seq = resumed?.lines ?? 0
  let prev = resumed?.head ?? ''

  const append: Journal['append'] = (events) => {
    let text = ''
    let nextSeq = seq
    let nextPrev = prev
    for (const event of events) {
      const line = JSON.stringify({ seq: nextSeq++, prev: nextPrev, ...event })
      nextPrev = chainHash(line)
      text += `${line}\n`
    }
    const bytes = Buffer.from(text, 'utf8')
    try {
      writeAllSync(fd, bytes, length)
      fdatasyncSync(fd)
    } catch (cause) {
      cut(fd, length)
      throw cause
    }
    length += bytes.length
    seq = nextSeq
    prev = nextPrev
    return text
  }

  const rewrite: Journal['rewrite'] = (change) => {
    const pieces: string[] = []
    let nextPrev = ''
    for (const old of readFile(path).toString('utf8').split('\n')) {
      if (old === '') continue
      const { seq: number, prev: _, ...event } = JSON.parse(old) as JournalLine
      const line = JSON.stringify({ seq: number, prev: nextPrev, ...change(event as JournalEvent) })
      nextPrev = chainHash(line)
      pieces.push(`${line}\n`)
    }
    const bytes = Buffer.from(pieces.join(''), 'utf8')
    replaceFileSync(path, (next) => writeAllSync(next, bytes, 0), 0o600)
    closeSync(fd)
    fd = openSync(path, constants.O_WRONLY)
    length = bytes.length
    prev = nextPrev
  }

  try {
    if (resumed) ftruncateSync(fd, length)
    // A whole last line may lack its line break.
    if (resumed?.unterminated) length += writeSync(fd, '\n', length)
    if (!resumed) {
      append([{ cassette: header, ...(replaces && { replaces }) }])
      syncDirectory(dirname(path))
    }
  } catch (cause) {
    closeSync(fd)
    throw unwritable(path, cause)
  }
  return {
    append,
    rewrite,
    nextId: resumed?.nextId ?? 1,
    recovered: resumed && { recovered: resumed.lines - 1, dropped: resumed.dropped },
    close: () => closeSync(fd),
  }
}

function cut(fd: number, length: number): void {
  try {
    ftruncateSync(fd, length)
  } catch {
    // The reader cuts a torn tail as well.
  }
}
