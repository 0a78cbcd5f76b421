import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CassetteError } from '../../cassette-error.ts'
import type { Cassette, Interaction } from '../../interaction.ts'
import { latin1 } from '../../message/bytes.ts'
import type { Secrets } from '../../redaction/secrets/secrets.ts'
import { type CassetteHeader, lineHash } from '../journal/lines.ts'
import { codeOf, syncDirectory } from '../paths.ts'
import { formatJson } from './format.ts'
import { harEntry } from './write-entry.ts'

const NO_CHAIN = '0'.repeat(32)
const CHUNK_BYTES = 1 << 20

/**
 * Writes a cassette as HAR 1.2: into a temporary file beside the old one, which it replaces when everything is on the
 * disk. Whatever goes wrong before that, the old file stands. Nothing is written that holds a secret: each piece is
 * scanned before it goes out.
 *
 * @throws CassetteError `secret-found` (with the entry) or `unwritable`.
 */
export function writeHar(path: string, cassette: Cassette, secrets: Secrets): void {
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`,
  )
  try {
    writeTo(temporary, cassette, (text, entry) => refuseSecrets(path, text, entry, secrets))
    renameSync(temporary, path)
    syncDirectory(dirname(path))
  } catch (cause) {
    rmSync(temporary, { force: true })
    if (cause instanceof CassetteError) throw cause
    throw new CassetteError('unwritable', path, `cannot be written (${codeOf(cause)}).`, {}, { cause })
  }
}

/** The text of the file, for those who write it elsewhere. */
export function harText(cassette: Cassette): string {
  const pieces = [...harPieces(cassette)]
  return pieces
    .map(({ text }) => text)
    .join('')
    .replace(NO_CHAIN, chainOf(pieces))
}

function writeTo(
  path: string,
  cassette: Cassette,
  check: (text: string, entry: number | undefined) => void,
): void {
  const fd = openSync(path, 'wx')
  try {
    let chain = ''
    let chainAt = -1
    let length = 0
    let pending = ''
    const flush = () => {
      const bytes = Buffer.from(pending, 'utf8')
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, length + at)
      length += bytes.length
      pending = ''
    }
    for (const { text, entry } of harPieces(cassette)) {
      check(text, entry)
      if (entry === undefined && chainAt === -1)
        chainAt = Buffer.byteLength(text.slice(0, text.indexOf(NO_CHAIN)))
      if (entry !== undefined) chain = lineHash(chain + text)
      pending += text
      if (pending.length > CHUNK_BYTES) flush()
    }
    flush()
    // The place of the chain's head is known, its value only now.
    if (chain !== '') writeSync(fd, chain, chainAt)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

type Piece = { readonly text: string; readonly entry: number | undefined }

function* harPieces(cassette: Cassette): Generator<Piece> {
  const { interactions, ...header } = cassette
  yield { text: head(header), entry: undefined }
  let first = true
  const ordered = [...interactions].sort((a, b) => a.sequence - b.sequence)
  for (const interaction of ordered) {
    yield { text: first ? '\n      ' : ',\n      ', entry: undefined }
    yield { text: entryText(interaction, cassette.origin), entry: interaction.sequence }
    first = false
  }
  yield { text: `${first ? '' : '\n    '}]\n  }\n}\n`, entry: undefined }
}

export function entryText(interaction: Interaction, origin: string): string {
  return formatJson(harEntry(interaction, origin), '      ')
}

/** Over the entries as they are written; an edited file shows in `lint`. */
export function chainOf(pieces: Iterable<Piece>): string {
  let chain = ''
  for (const { text, entry } of pieces) if (entry !== undefined) chain = lineHash(chain + text)
  return chain === '' ? NO_CHAIN : chain
}

function head({ version, product, t0, origin, profile, volatile, redaction }: CassetteHeader): string {
  const [name = product, productVersion = ''] = product.split('/')
  const ours = { version, product, t0, origin, profile, volatile, redaction, chain: NO_CHAIN }
  return [
    '{',
    '  "log": {',
    '    "version": "1.2",',
    `    "creator": ${formatJson({ name, version: productVersion }, '    ')},`,
    `    "_cassette": ${formatJson(ours, '    ')},`,
    '    "entries": [',
  ].join('\n')
}

function refuseSecrets(path: string, text: string, entry: number | undefined, secrets: Secrets): void {
  const [hit] = secrets.find(latin1(text))
  if (hit === undefined) return
  throw new CassetteError(
    'secret-found',
    path,
    `a secret (${hit.rule}) would have been written; the old file stands.`,
    entry === undefined ? {} : { entry },
  )
}
