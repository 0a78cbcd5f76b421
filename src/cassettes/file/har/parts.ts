import { isUtf8 } from 'node:buffer'
import { CassetteError } from '../../cassette-error.ts'
import { type HarParts, splitHar } from './split.ts'

const NO_TEXT = 'is not valid UTF-8: it is no text, or one that was saved in another encoding.'

/** The parts of a HAR, ours or another's. @throws CassetteError that says what else the file is. */
export function harParts(bytes: Buffer, path: string): HarParts {
  if (bytes.length === 0) throw new CassetteError('empty', path, 'is empty.')
  if (!isUtf8(bytes)) throw new CassetteError('not-utf8', path, NO_TEXT)
  const parts = splitHar(bytes)
  if (parts === undefined) throw new CassetteError('foreign', path, 'is JSON, but no HAR: it has no log.')
  if ('at' in parts) {
    if (bytes.toString('latin1', 0, 4096).trim() === '') throw new CassetteError('empty', path, 'is empty.')
    throw new CassetteError('undecodable', path, broken(bytes), { line: lineAt(bytes, parts.at) })
  }
  if (parts.entries === undefined) throw new CassetteError('undecodable', path, 'its log has no entries.')
  return parts
}

function broken(bytes: Buffer): string {
  if (bytes.includes('git-lfs.github.com')) return 'is a pointer of Git LFS: run `git lfs pull`.'
  if (bytes.includes('<<<<<<< ')) return 'holds the marks of a merge conflict.'
  return 'is not well-formed JSON; it may be cut off.'
}

/** The line of a byte, from 1. */
export function lineAt(bytes: Buffer, position: number): number {
  let line = 1
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < position; at = bytes.indexOf(0x0a, at + 1)) line++
  return line
}
