import { createHash } from 'node:crypto'
import { partitionPoint } from '../partition-point.ts'
import type { Entries } from './backing.ts'
import { indexBlockName, indexHeaderBounds, indexHeaderName, segmentOf } from './keyspace.ts'

/**
 * Where each finished answer stands. What came last is in memory, and found again at the start from the names. When
 * that is SEGMENT answers it is written, sorted by hash, as one segment that never changes. Of a segment only a filter
 * stays in memory (2 bytes an answer), which says of nearly every name that is not there that it is not. A segment
 * goes when everything that it points to has gone: answers expire in about the order in which they came.
 */
export type AnswerIndex = {
  /** The first place that was never used. */
  next(): number
  /** The places where the answer may stand, latest first; which of them holds it, if any, is seen there. */
  candidates(name: string): number[]
  place(name: string, place: number): void
  forget(name: string): void
  /** What has to be written for the index to stay small, along with the next write; `done` when that is durable. */
  maintain(isEmptyUpTo: (place: number) => boolean): Maintenance | undefined
}

export type Maintenance = {
  readonly writes: ReadonlyMap<string, Buffer | undefined>
  readonly done: () => void
}

/** A segment is sorted and written in one go, which must hold nobody up: some 10 ms. */
const SEGMENT = 16_384
/** Sixteen bits for each answer; eight of them set: of absent names one in two thousand passes. */
const FILTER_BITS = SEGMENT * 16
const PROBES = 8
/** A hash and a place, six bytes each; so many that a block fills one page of the disk. */
const ENTRY_BYTES = 12
const BLOCK_ENTRIES = 320

/** Six bytes to look for, and two numbers that the probes of the filter are made of. */
type Digest = { readonly hash: number; readonly one: number; readonly two: number }
type Recent = { readonly place: number; readonly digest: Digest }

type Segment = {
  readonly id: number
  readonly lastPlace: number
  readonly filter: Buffer
  /** The hash that each block begins with. */
  readonly firsts: Float64Array
}

/** `recent`: names and places of the answers behind the last segment, in order of arrival. */
export function createAnswerIndex(
  entries: Pick<Entries, 'read' | 'range'>,
  { secret, segmentSize = SEGMENT }: { readonly secret: Buffer; readonly segmentSize?: number | undefined },
  recentNames: (afterPlace: number) => Iterable<readonly [name: string, place: number]>,
): AnswerIndex {
  const segments: Segment[] = []
  for (const { name, value } of entries.range({ ...indexHeaderBounds, limit: Number.POSITIVE_INFINITY }))
    segments.push(readHeader(segmentOf(name), value))
  const recent = new Map<string, Recent>()
  const digestOf = digests(secret)
  let next = (segments.at(-1)?.lastPlace ?? -1) + 1
  for (const [name, place] of recentNames(next)) {
    recent.set(name, { place, digest: digestOf(name) })
    next = place + 1
  }

  function flushed(): Maintenance {
    const oldest = [...recent].slice(0, segmentSize)
    const id = (segments.at(-1)?.id ?? 0) + 1
    const { segment, writes } = writeSegment(
      id,
      oldest.map(([, entry]) => entry),
    )
    const done = () => {
      segments.push(segment)
      // What has been placed again meanwhile is a later answer under the same name.
      for (const [name, entry] of oldest) if (recent.get(name) === entry) recent.delete(name)
    }
    return { writes, done }
  }

  return {
    next: () => next,
    candidates(name) {
      const known = recent.get(name)
      if (known !== undefined) return [known.place]
      const places: number[] = []
      if (segments.length === 0) return places
      const digest = digestOf(name)
      for (let i = segments.length - 1; i >= 0; i--) {
        const segment = segments[i]
        if (segment && mayHold(segment.filter, digest)) pushPlaces(entries, segment, digest.hash, places)
      }
      return places
    },
    place(name, place) {
      // Deleted first: the order of the map is that of the places.
      recent.delete(name)
      recent.set(name, { place, digest: digestOf(name) })
      next = Math.max(next, place + 1)
    },
    forget: (name) => void recent.delete(name),
    maintain(isEmptyUpTo) {
      if (recent.size >= segmentSize) return flushed()
      const [first] = segments
      if (first === undefined || !isEmptyUpTo(first.lastPlace)) return undefined
      const writes = new Map<string, undefined>([[indexHeaderName(first.id), undefined]])
      for (let block = 0; block < first.firsts.length; block++)
        writes.set(indexBlockName(first.id, block), undefined)
      return { writes, done: () => void segments.shift() }
    },
  }
}

/** Keyed, so that nobody can choose keys that collide. The last few are remembered: each is asked for again soon. */
function digests(secret: Buffer): (name: string) => Digest {
  const known = new Map<string, Digest>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const bytes = createHash('sha256').update(secret).update(name).digest()
    const digest = {
      hash: bytes.readUIntBE(0, 6),
      one: bytes.readUInt32BE(6),
      two: bytes.readUInt32BE(10) | 1,
    }
    if (known.size === 4096) known.clear()
    known.set(name, digest)
    return digest
  }
}

function bitOf({ one, two }: Digest, probe: number): number {
  return (one + Math.imul(two, probe)) & (FILTER_BITS - 1)
}

function mayHold(filter: Buffer, digest: Digest): boolean {
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = bitOf(digest, probe)
    if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** Looks in the one or two blocks that may hold the hash. */
function pushPlaces(
  entries: Pick<Entries, 'read'>,
  { id, firsts }: Segment,
  hash: number,
  places: number[],
): void {
  const after = partitionPoint(firsts.length, (i) => (firsts[i] ?? 0) <= hash)
  for (let block = after - 1; block >= 0; block--) {
    const bytes = entries.read(indexBlockName(id, block))
    if (bytes === undefined) return
    for (let at = 0; at < bytes.length; at += ENTRY_BYTES)
      if (bytes.readUIntBE(at, 6) === hash) places.push(bytes.readUIntBE(at + 6, 6))
    // Equal hashes may begin in the block before.
    if ((firsts[block] ?? 0) < hash) return
  }
}

function writeSegment(
  id: number,
  recent: readonly Recent[],
): { segment: Segment; writes: Map<string, Buffer> } {
  const lastPlace = recent.at(-1)?.place ?? 0
  const sorted = recent.toSorted((a, b) => a.digest.hash - b.digest.hash)
  const filter = Buffer.alloc(FILTER_BITS / 8)
  for (const { digest } of sorted) {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(digest, probe)
      filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7))
    }
  }
  const firsts = new Float64Array(Math.ceil(sorted.length / BLOCK_ENTRIES))
  const writes = new Map<string, Buffer>()
  for (let block = 0; block < firsts.length; block++) {
    const part = sorted.slice(block * BLOCK_ENTRIES, (block + 1) * BLOCK_ENTRIES)
    firsts[block] = part[0]?.digest.hash ?? 0
    const bytes = Buffer.alloc(part.length * ENTRY_BYTES)
    for (const [i, { digest, place }] of part.entries()) {
      bytes.writeUIntBE(digest.hash, i * ENTRY_BYTES, 6)
      bytes.writeUIntBE(place, i * ENTRY_BYTES + 6, 6)
    }
    writes.set(indexBlockName(id, block), bytes)
  }
  const segment = { id, lastPlace, filter, firsts }
  writes.set(indexHeaderName(id), writeHeader(segment))
  return { segment, writes }
}

/** The last place, the first hash of each block, and the filter, which has the rest. */
function writeHeader({ lastPlace, firsts, filter }: Segment): Buffer {
  const head = Buffer.alloc(12 + firsts.length * 8)
  head.writeDoubleBE(lastPlace, 0)
  head.writeUInt32BE(firsts.length, 8)
  for (const [i, first] of firsts.entries()) head.writeDoubleBE(first, 12 + i * 8)
  return Buffer.concat([head, filter])
}

function readHeader(id: number, bytes: Buffer): Segment {
  const firsts = new Float64Array(bytes.readUInt32BE(8))
  for (let i = 0; i < firsts.length; i++) firsts[i] = bytes.readDoubleBE(12 + i * 8)
  // A copy: what LMDB hands over is its own.
  return {
    id,
    lastPlace: bytes.readDoubleBE(0),
    firsts,
    filter: Buffer.from(bytes.subarray(12 + firsts.length * 8)),
  }
}
