import { isAscii, isUtf8 } from 'node:buffer'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { CassetteError } from '../cassette-error.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import { movedPlaces } from '../message/moved-places.ts'
import { chainHash } from './chain.ts'
import { isRecord } from './checked.ts'
import { EntryError } from './har/members.ts'
import { harParts, lineAt } from './har/parts.ts'
import { readEntry } from './har/read-entry.ts'
import { OtherSpellingError, readPieces } from './har/stream.ts'
import { type CassetteHeader, readHeader } from './header.ts'
import { journalInteractions } from './journal/interactions.ts'
import { readJournal } from './journal/read.ts'
import { readFile } from './read-file.ts'
import { createSharing } from './sharing.ts'

/** A cassette and where it came from. */
export type LoadedCassette = Cassette & {
  readonly file: string
  readonly form: 'har' | 'journal'
  /** Of a journal whose recorder did not finish: whole lines, and torn ones that were cut. */
  readonly recovered?: { readonly recovered: number; readonly dropped: number }
  /** The chain's head as the file has it; see `lint`. */
  readonly chain?: string
  /** The entries are not, byte for byte, those that were written. */
  readonly isEdited: boolean
}

/** Told now and then how many entries have been read. */
export type OnEntries = (count: number) => void

/**
 * Loads a cassette in either form.
 *
 * @throws CassetteError, each fault with a reason of its own: a damaged cassette is never an empty one.
 */
export function loadCassette(path: string, onEntries?: OnEntries): LoadedCassette {
  return (
    (path.endsWith('.har') ? streamHar(path, onEntries) : undefined) ?? parseCassette(readFile(path), path)
  )
}

/**
 * Loads a cassette that is to be served, or added to.
 *
 * @throws CassetteError, also when an edit has moved what is bound or redacted from its place: values of the run would
 * then be missing in some answers, which no miss would explain.
 */
export function loadSound(path: string, onEntries?: OnEntries): LoadedCassette {
  const cassette = loadCassette(path, onEntries)
  if (!cassette.isEdited) return cassette
  const moved = cassette.interactions.flatMap((interaction) =>
    movedPlaces(interaction).map(({ message }) => ({ message, entry: interaction.sequence })),
  )
  const [first, ...more] = moved
  if (first === undefined) return cassette
  const others = more.length === 0 ? '' : ` (and ${more.length} more: \`sandgate cassette lint\` lists them)`
  const detail = `was edited, and ${first.message}${others}. Undo that edit, or record again.`
  throw new CassetteError('moved-place', path, detail, { entry: first.entry })
}

/**
 * A cassette as it is written, read piece by piece. Undefined for every other file: what it is, and what is wrong with
 * it, shows when it is read as a whole.
 */
function streamHar(path: string, onEntries: OnEntries = () => {}): LoadedCassette | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    return fstatSync(fd).isFile() ? fromPieces(readPieces(fd), path, onEntries) : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function fromPieces(pieces: Iterable<Buffer>, path: string, onEntries: OnEntries): LoadedCassette {
  const sharing = createSharing()
  const interactions: Interaction[] = []
  let chain = ''
  let log: ReturnType<typeof readHead> | undefined
  for (const piece of pieces) {
    const text = wholeText(piece)
    if (log === undefined) log = readHead(text, path)
    else {
      chain = chainHash(chain, piece)
      interactions.push(readEntry(JSON.parse(text), log.header.origin, sharing))
      onEntries(interactions.length)
    }
  }
  if (log === undefined) throw new OtherSpellingError()
  return cassetteOf(log, interactions, chain, path)
}

/** @throws OtherSpellingError */
function wholeText(piece: Buffer): string {
  // Most entries are ASCII, which needs no decoding.
  if (isAscii(piece)) return piece.toString('latin1')
  if (!isUtf8(piece)) throw new OtherSpellingError()
  return piece.toString('utf8')
}

function readHead(text: string, path: string) {
  const tree: unknown = JSON.parse(`${text}]}}`)
  const log = isRecord(tree) && Object.keys(tree).length === 1 ? tree.log : undefined
  if (!isRecord(log) || !Array.isArray(log.entries) || log.entries.length > 0) throw new OtherSpellingError()
  return { header: readHeader(log._cassette, path), description: log._cassette }
}

export function parseCassette(bytes: Buffer, path: string): LoadedCassette {
  return isJournal(bytes, path) ? loadJournal(bytes, path) : loadHar(bytes, path)
}

function isJournal(bytes: Buffer, path: string): boolean {
  if (path.endsWith('.jsonl')) return true
  return !path.endsWith('.har') && bytes.subarray(0, 64).toString('latin1').startsWith('{"seq":0,')
}

function loadJournal(bytes: Buffer, path: string): LoadedCassette {
  const journal = readJournal(bytes, path)
  return {
    ...journal.header,
    interactions: journalInteractions(journal, path),
    file: path,
    form: 'journal',
    isEdited: false,
    recovered: { recovered: journal.lines - 1, dropped: journal.dropped },
  }
}

function loadHar(bytes: Buffer, path: string): LoadedCassette {
  const parts = harParts(bytes, path)
  const ours = parts.members.get('_cassette')
  if (ours === undefined) {
    throw new CassetteError(
      'foreign',
      path,
      'is a HAR of another program. Make a cassette of it with `sandgate cassette import`.',
    )
  }
  const description = parse(bytes, ours, path)
  const header = readHeader(description, path)
  const sharing = createSharing()
  const interactions: Interaction[] = []
  let chain = ''
  for (const [i, span] of (parts.entries ?? []).entries()) {
    const place = () => ({ entry: i + 1, line: lineAt(bytes, span[0]) })
    const piece = bytes.subarray(...span)
    chain = chainHash(chain, piece)
    try {
      interactions.push(readEntry(JSON.parse(piece.toString('utf8')), header.origin, sharing))
    } catch (cause) {
      if (cause instanceof EntryError)
        throw new CassetteError('incomplete-entry', path, `${cause.message}.`, place(), { cause })
      // The parser's message would repeat a part of the file.
      throw new CassetteError('undecodable', path, 'is not well-formed JSON.', place())
    }
  }
  return cassetteOf({ header, description }, interactions, chain, path)
}

function cassetteOf(
  { header, description }: { header: CassetteHeader; description: unknown },
  interactions: Interaction[],
  found: string,
  path: string,
): LoadedCassette {
  interactions.sort((a, b) => a.sequence - b.sequence)
  const chain = (description as { chain?: unknown }).chain
  const isEdited = found !== '' && found !== chain
  const kept = typeof chain === 'string' ? { chain } : {}
  return { ...header, interactions, file: path, form: 'har', isEdited, ...kept }
}

function parse(bytes: Buffer, [start, end]: readonly [number, number], path: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end))
  } catch {
    throw new CassetteError('undecodable', path, 'is not well-formed JSON.', { line: lineAt(bytes, start) })
  }
}
