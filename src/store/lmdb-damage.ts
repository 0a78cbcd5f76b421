import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import {
  DamagedFile,
  HEADER_BYTES,
  int64,
  META_PAGES,
  type Meta,
  readMeta,
  type Tree,
  uint64,
} from './lmdb-file.ts'

/**
 * Why a data file cannot be opened, as a clause; undefined when it holds together: each page of both trees is where it
 * belongs, is used once, and holds its nodes in order, and no page in use is listed as free. LMDB keeps no checksums
 * and trusts what it maps: a file that was cut or overwritten ends the process by a signal, at the start or days later.
 * What a value holds is not judged.
 *
 * Reads the file once from its beginning to its end, and then page by page out of the system's cache.
 */
export function damageOf(path: string): string | undefined {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const meta = readMeta(descriptor, size)
    readThrough(descriptor)
    const walk: Walk = {
      descriptor,
      meta,
      used: new Uint8Array(Math.floor(size / meta.pageBytes)),
      levels: [],
      free: [],
    }
    walkTree(walk, meta.main, MAIN)
    walkTree(walk, meta.free, FREE)
    judgeFreePages(walk)
    return undefined
  } catch (cause) {
    if (cause instanceof DamagedFile) return cause.message
    throw cause
  } finally {
    closeSync(descriptor)
  }
}

type Walk = {
  readonly descriptor: number
  readonly meta: Meta
  /** Of each whole page of the file, whether a tree has it. */
  readonly used: Uint8Array
  /** A page for each level of a tree, since a parent is read on after its child. */
  readonly levels: Buffer[]
  /** First page and length of each run of free pages. */
  readonly free: number[]
}

/** What differs between the trees. */
type Kind = {
  /** Negative, 0 or positive, as `Buffer.compare`. */
  readonly compare: (left: Buffer, leftAt: number, right: Buffer, rightAt: number) => number
  readonly minBranches: number
  readonly isKeyLength: (bytes: number) => boolean
  readonly visit?: (walk: Walk, value: Buffer) => void
}

/** Where a key stands; its length is in the two bytes before it. */
type Key = { readonly page: Buffer; readonly at: number }

const keyBytes = (page: Buffer, at: number): number => page.readUInt16LE(at - 2)

/** With 4 KiB pages; LMDB refuses longer ones. */
const MAX_KEY_BYTES = 1978

const MAIN: Kind = {
  compare: (left, leftAt, right, rightAt) =>
    left.compare(right, rightAt, rightAt + keyBytes(right, rightAt), leftAt, leftAt + keyBytes(left, leftAt)),
  // LMDB asserts it, and would end the process.
  minBranches: 2,
  isKeyLength: (bytes) => bytes > 0 && bytes <= MAX_KEY_BYTES,
}

const FREE: Kind = {
  compare: (left, leftAt, right, rightAt) => uint64(left, leftAt) - uint64(right, rightAt),
  minBranches: 1,
  isKeyLength: (bytes) => bytes === 8,
  visit: collectFree,
}

const BRANCH = 0x01
const LEAF = 0x02
const OVERFLOW = 0x04
/** Of a node: its value is in pages of its own. */
const BIG = 0x01
const NODE_BYTES = 8
/** First page, transaction and number of pages of a value that has its own. */
const BIG_BYTES = 24

const READ_BYTES = 1 << 20

function readThrough(descriptor: number): void {
  const bytes = Buffer.allocUnsafe(READ_BYTES)
  for (let at = 0, read = 1; read > 0; at += read) read = readSync(descriptor, bytes, 0, READ_BYTES, at)
}

type Counts = { branchPages: number; leafPages: number; overflowPages: number; entries: number }

function walkTree(walk: Walk, tree: Tree, kind: Kind): void {
  const found: Counts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }
  if (tree.root !== undefined) walkPage(walk, { tree, kind, found }, tree.root, 1, undefined, undefined)
  for (const count of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const)
    if (found[count] !== tree[count]) throw new DamagedFile('it holds more or less than it says')
}

type Walking = { readonly tree: Tree; readonly kind: Kind; readonly found: Counts }

/** Of a page and all below it; its keys are from `low` to before `high`. */
function walkPage(
  walk: Walk,
  walking: Walking,
  number: number,
  level: number,
  low: Key | undefined,
  high: Key | undefined,
): void {
  const { tree, kind, found } = walking
  const isLeaf = level === tree.depth
  const page = readPage(walk, number, level, isLeaf ? LEAF : BRANCH)
  const keys = keysOf(page, isLeaf)
  const isSound =
    keys.length >= (isLeaf ? 1 : kind.minBranches) && areOrdered(page, keys, kind, isLeaf ? 0 : 1, low, high)
  if (!isSound) throw new DamagedFile(`page ${number} does not hold together`)
  if (isLeaf) {
    found.leafPages++
    found.entries += keys.length
    for (const at of keys) walkValue(walk, walking, page, at)
    return
  }
  found.branchPages++
  for (const [index, at] of keys.entries()) {
    const node = at - NODE_BYTES
    const child = page.readUInt32LE(node) + page.readUInt16LE(node + 4) * 2 ** 32
    const next = keys[index + 1]
    const from = index === 0 ? low : { page, at }
    walkPage(walk, walking, child, level + 1, from, next === undefined ? high : { page, at: next })
  }
}

/** The first key of a branch page stands for every one that is smaller than the second, whatever it holds. */
function areOrdered(
  page: Buffer,
  keys: readonly number[],
  { compare, isKeyLength }: Kind,
  first: number,
  low: Key | undefined,
  high: Key | undefined,
): boolean {
  for (let index = first; index < keys.length; index++) {
    const at = keys[index] ?? 0
    if (!isKeyLength(keyBytes(page, at))) return false
    if (index > first) {
      if (compare(page, at, page, keys[index - 1] ?? 0) <= 0) return false
      continue
    }
    // The lowest key of a leaf may be the one that leads to it.
    const order = low === undefined ? 1 : compare(page, at, low.page, low.at)
    if (first === 0 ? order < 0 : order <= 0) return false
  }
  const last = keys[keys.length - 1]
  if (high === undefined || last === undefined || keys.length === first) return true
  return compare(page, last, high.page, high.at) < 0
}

/** Where the keys of a page stand: its nodes lie within it, one beside the other, without a gap. */
function keysOf(page: Buffer, isLeaf: boolean): number[] {
  const body = page.length - HEADER_BYTES
  const lower = page.readUInt16LE(20)
  const upper = page.readUInt16LE(22)
  if (lower % 2 !== 0 || lower > upper || upper > body) return []
  const keys: number[] = []
  let room = body - upper
  for (let entry = 0; entry < lower; entry += 2) {
    const offset = page.readUInt16LE(HEADER_BYTES + entry)
    if (offset < upper || offset % 2 !== 0 || offset + NODE_BYTES > body) return []
    const node = HEADER_BYTES + offset
    const length = NODE_BYTES + page.readUInt16LE(node + 6) + (isLeaf ? valueBytes(page, node) : 0)
    room -= length + (length % 2)
    if (offset + length > body || room < 0) return []
    keys.push(node + NODE_BYTES)
  }
  return room === 0 ? keys : []
}

function valueBytes(page: Buffer, node: number): number {
  const flags = page.readUInt16LE(node + 4)
  if (flags === BIG) return BIG_BYTES
  return flags === 0 ? page.readUInt32LE(node) : Number.POSITIVE_INFINITY
}

function walkValue(walk: Walk, { kind, found }: Walking, page: Buffer, at: number): void {
  const node = at - NODE_BYTES
  const length = page.readUInt32LE(node)
  const value = at + keyBytes(page, at)
  if (page.readUInt16LE(node + 4) !== BIG) {
    kind.visit?.(walk, page.subarray(value, value + length))
    return
  }
  const { meta, descriptor } = walk
  const first = uint64(page, value)
  const pages = uint64(page, value + 16)
  const needed = Math.ceil((HEADER_BYTES + length) / meta.pageBytes)
  if (pages < needed || pages > meta.lastPage || uint64(page, value + 8) > meta.transaction)
    throw new DamagedFile(`a value at page ${first} does not hold together`)
  for (let number = first; number < first + pages; number++) take(walk, number)
  const head = Buffer.allocUnsafe(HEADER_BYTES)
  readSync(descriptor, head, 0, HEADER_BYTES, first * meta.pageBytes)
  judgeHeader(walk, head, first, OVERFLOW)
  if (head.readUInt32LE(20) !== pages) throw new DamagedFile(`page ${first} does not hold together`)
  found.overflowPages += pages
  if (!kind.visit) return
  const whole = Buffer.allocUnsafe(length)
  readSync(descriptor, whole, 0, length, first * meta.pageBytes + HEADER_BYTES)
  kind.visit(walk, whole)
}

function readPage(walk: Walk, number: number, level: number, flag: number): Buffer {
  const { descriptor, meta, levels } = walk
  take(walk, number)
  levels[level] ??= Buffer.allocUnsafe(meta.pageBytes)
  const page = levels[level]
  readSync(descriptor, page, 0, meta.pageBytes, number * meta.pageBytes)
  judgeHeader(walk, page, number, flag)
  return page
}

/** A page of a later transaction would be taken for one that may be written where it stands. */
function judgeHeader({ meta }: Walk, page: Buffer, number: number, flag: number): void {
  if (uint64(page, 0) !== number || page.readUInt16LE(18) !== flag || uint64(page, 8) > meta.transaction)
    throw new DamagedFile(`page ${number} is not what belongs there`)
}

function take({ meta, used }: Walk, number: number): void {
  if (number < META_PAGES || number > meta.lastPage)
    throw new DamagedFile(`it leads to a page that it does not have`)
  if (number >= used.length) throw new DamagedFile(`it was cut: page ${number} is missing`)
  if (used[number] === 1) throw new DamagedFile(`page ${number} is used twice`)
  used[number] = 1
}

/**
 * A record of free pages: how many entries follow, then a page, or the negative length of a run and its first page, or
 * 0 for nothing.
 */
function collectFree({ meta, free }: Walk, record: Buffer): void {
  const count = uint64(record, 0)
  if ((count + 1) * 8 > record.length) throw new DamagedFile('its list of free pages is cut')
  for (let index = 1; index <= count; index++) {
    const entry = int64(record, index * 8)
    if (entry === 0) continue
    const length = entry < 0 ? -entry : 1
    const first = entry > 0 ? entry : index < count ? int64(record, ++index * 8) : 0
    if (first < META_PAGES || first + length - 1 > meta.lastPage)
      throw new DamagedFile('its list of free pages names one that it does not have')
    free.push(first, length)
  }
}

/** A page that is in use and free would be overwritten. */
function judgeFreePages({ used, free }: Walk): void {
  for (let run = 0; run < free.length; run += 2) {
    const [first = 0, length = 0] = [free[run], free[run + 1]]
    for (let number = first; number < first + length && number < used.length; number++)
      if (used[number] === 1) throw new DamagedFile(`page ${number} is in use and listed as free`)
  }
}
