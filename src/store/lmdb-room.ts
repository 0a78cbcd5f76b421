import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DATA_FILE, type Meta, pagesOf, readMeta, reusablePages } from './lmdb-file.ts'

/**
 * Room in the data file for what LMDB is about to write, so that LMDB itself never meets a full disk.
 *
 * It must not: on a write that fails, the binding (lmdb 3.5.6, `mdb_page_flush`) formats a message of up to 130 bytes,
 * numbers from a stack that it never set among them, into 100 bytes of the heap. Seen: `free(): invalid pointer`, and
 * the process gone. Pages behind the last one that LMDB uses are its own to write on, so they are written beforehand,
 * with zeros, by somebody who can be told that there are none. A commit that only fills them changes no size either,
 * which spares the file system a journal entry per flush.
 */
export type Room = {
  /**
   * Nothing else may be writing. @throws what the file system says, ENOSPC or EFBIG for instance, with nothing written
   * but zeros behind the end.
   */
  make(values: Iterable<Buffer | undefined>): void
  close(): void
}

/** What the file grows by beyond what the next commit may need. */
const SPARE_BYTES = 262_144
const ZEROS = Buffer.alloc(65_536)

export function openRoom(directory: string): Room {
  const path = join(directory, DATA_FILE)
  const inPlace = openSync(path, 'r+')
  const behind = openSync(path, 'a')

  const sizeOf = (): number => fstatSync(inPlace).size
  /** At least so large; asked for again only when it may not be enough. */
  let size = sizeOf()

  /** Appended, so that not even a process that takes this file for its own could find its pages overwritten. */
  function grow(byBytes: number): void {
    for (let left = byBytes; left > 0; )
      left -= writeSync(behind, ZEROS, 0, Math.min(left, ZEROS.length), null)
  }

  /** Finds out about a limit that is below the end, or a disk that takes nothing, on a byte that nobody reads. */
  function prove(): void {
    writeSync(inPlace, ZEROS, 0, 1, size - 1)
  }

  return {
    make(values) {
      const meta = readMeta(inPlace, size)
      const used = (meta.lastPage + 1) * meta.pageBytes
      const needed = pagesFor(meta, values) * meta.pageBytes
      const spare = () => size - used
      if (spare() >= needed) return prove()
      try {
        grow(needed + SPARE_BYTES - spare())
        size = sizeOf()
      } catch (error) {
        size = sizeOf()
        // Freed pages are written on before new ones; what they fall short by (some are still read) the spare ones are.
        if (spare() <= 0 || spare() + reusablePages(meta) * meta.pageBytes < needed) throw error
        prove()
      }
    },
    close() {
      closeSync(inPlace)
      closeSync(behind)
    },
  }
}

/**
 * At most how many pages a commit of these values (`undefined`: a deletion) writes on: each page on the way to an
 * entry is copied, a page that overflows is split, a value that is large lies in pages of its own, and the list of
 * free pages is written anew.
 */
export function pagesFor({ pageBytes, main, free }: Meta, values: Iterable<Buffer | undefined>): number {
  let entries = 0
  let fresh = 0
  for (const value of values) {
    entries++
    if (value !== undefined) fresh += 2 + Math.ceil((value.length + PAGE_HEADER_BYTES) / pageBytes)
  }
  const copied = Math.min(entries * 2 * (main.depth + 1), main.branchPages + main.leafPages)
  const freed = copied + Math.min(fresh + entries, main.overflowPages)
  const listed = pagesOf(free) + Math.ceil(freed / NUMBERS_PER_PAGE)
  return copied + fresh + listed + MARGIN_PAGES
}

const PAGE_HEADER_BYTES = 24
const NUMBERS_PER_PAGE = 500
const MARGIN_PAGES = 16
