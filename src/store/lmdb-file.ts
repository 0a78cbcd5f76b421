import { readSync } from 'node:fs'

/** The names that LMDB gives its files. */
export const DATA_FILE = 'data.mdb'
export const LOCK_FILE = 'lock.mdb'

/**
 * LMDB's data file, format 2 (lmdb 3, `mdb.c`), as far as it has to be read to be judged without mapping it. Numbers
 * are little-endian. A page begins with its number (8 bytes), the transaction that wrote it (8), padding (2), flags (2)
 * and the bounds of its free space (2 and 2), which count from the end of this header.
 */
export const HEADER_BYTES = 24
export const META_PAGES = 2
const META_BYTES = 168
/** Each commit reads both: nothing of it outlives the call that reads into it. */
const META_PAGE = Buffer.alloc(META_BYTES)
const MAGIC = 0xbeefc0de
const VERSION = 2
const META_FLAG = 0x08

/** What a tree of the file is: the main one, or that of the free pages. */
export type Tree = {
  readonly flags: number
  readonly depth: number
  readonly branchPages: number
  readonly leafPages: number
  readonly overflowPages: number
  readonly entries: number
  /** Undefined when the tree is empty. */
  readonly root: number | undefined
}

/** How many pages lie between the first ones and the last that is used without being part of a tree: free ones. */
export function reusablePages(of: { main: PageCounts; free: PageCounts; lastPage: number }): number {
  return Math.max(0, of.lastPage + 1 - META_PAGES - pagesOf(of.main) - pagesOf(of.free))
}

type PageCounts = Pick<Tree, 'branchPages' | 'leafPages' | 'overflowPages'>

export const pagesOf = ({ branchPages, leafPages, overflowPages }: PageCounts): number =>
  branchPages + leafPages + overflowPages

/** What one of the two meta pages says. */
export type Meta = {
  readonly pageBytes: number
  readonly mapBytes: number
  readonly free: Tree
  readonly main: Tree
  readonly lastPage: number
  readonly transaction: number
}

/** The file cannot be what LMDB wrote. The message is a clause: `page 7 is not where it belongs`. */
export class DamagedFile extends Error {}

/** LMDB has 32 levels. */
const MAX_DEPTH = 32
/** Far above what a machine can map or count to; what is larger was not written by LMDB. */
const MAX_MAP_BYTES = 2 ** 46
const MAX_TRANSACTION = 2 ** 48
/** More than a transaction takes and gives back: such pages at the end were never written. */
const MAX_MISSING_BYTES = 2 ** 26
/** MDB_INTEGERKEY: free pages are listed by the number of the transaction that freed them. */
const FREE_FLAGS = 0x08

/** The meta page that LMDB goes by: the newer one. @throws DamagedFile */
export function readMeta(descriptor: number, fileBytes: number): Meta {
  const first = metaAt(descriptor, 0, 0)
  const second = metaAt(descriptor, 1, first.pageBytes)
  if (second.pageBytes !== first.pageBytes) throw new DamagedFile('its two meta pages disagree')
  const [meta, older] = first.transaction >= second.transaction ? [first, second] : [second, first]
  // Transactions write the two by turns. Only a compacted copy begins with one that was never written.
  const isFirstOfTwo = older.transaction === 0
  if (!isFirstOfTwo && meta.transaction !== older.transaction + 1)
    throw new DamagedFile('one of its two meta pages is not the one before the other')
  if (fileBytes < META_PAGES * meta.pageBytes) throw new DamagedFile('it ends within its first pages')
  if ((meta.lastPage + 1) * meta.pageBytes > fileBytes + MAX_MISSING_BYTES)
    throw new DamagedFile('its last page lies far behind its end')
  return meta
}

function metaAt(descriptor: number, number: number, position: number): Meta {
  const page = META_PAGE
  if (readSync(descriptor, page, 0, META_BYTES, position) < META_BYTES)
    throw new DamagedFile('it ends within its first pages')
  if (page.readUInt32LE(24) !== MAGIC || page.readUInt32LE(28) !== VERSION)
    throw new DamagedFile(`its meta page ${number} is not one of a database of this program`)
  const meta: Meta = {
    pageBytes: page.readUInt32LE(48),
    mapBytes: uint64(page, 40),
    free: treeAt(page, 48),
    main: treeAt(page, 96),
    lastPage: uint64(page, 144),
    transaction: uint64(page, 152),
  }
  const isSound =
    uint64(page, 0) === number &&
    page.readUInt16LE(18) === META_FLAG &&
    isPageSize(meta.pageBytes) &&
    meta.mapBytes <= MAX_MAP_BYTES &&
    meta.free.flags === FREE_FLAGS &&
    meta.main.flags === 0 &&
    (meta.lastPage + 1) * meta.pageBytes <= MAX_MAP_BYTES &&
    meta.transaction <= MAX_TRANSACTION &&
    (meta.transaction === 0 || meta.transaction % META_PAGES === number) &&
    isTree(meta.free) &&
    isTree(meta.main)
  if (!isSound) throw new DamagedFile(`its meta page ${number} does not hold together`)
  return meta
}

function treeAt(page: Buffer, at: number): Tree {
  const hasNoRoot = page.readUInt32LE(at + 40) === 0xffffffff && page.readUInt32LE(at + 44) === 0xffffffff
  return {
    flags: page.readUInt16LE(at + 4),
    depth: page.readUInt16LE(at + 6),
    branchPages: uint64(page, at + 8),
    leafPages: uint64(page, at + 16),
    overflowPages: uint64(page, at + 24),
    entries: uint64(page, at + 32),
    root: hasNoRoot ? undefined : uint64(page, at + 40),
  }
}

const isTree = ({ root, depth }: Tree): boolean =>
  root === undefined ? depth === 0 : depth > 0 && depth <= MAX_DEPTH

const isPageSize = (bytes: number): boolean =>
  bytes >= 512 && bytes <= 65_536 && Number.isInteger(Math.log2(bytes))

/** Exact up to 2^53; what is larger is larger than every bound that it is compared with. */
export const uint64 = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32

/** The same with a sign. */
export const int64 = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) + bytes.readInt32LE(at + 4) * 2 ** 32
