import { writeSync } from 'node:fs'
import { replaceFileSync, writeAllSync } from '../../../replace-file.ts'
import { CassetteError, unwritable } from '../../cassette-error.ts'
import type { Cassette, Interaction } from '../../interaction.ts'
import { withinBounds } from '../../message/bounds.ts'
import { latin1 } from '../../message/bytes.ts'
import type { Secrets } from '../../redaction/secrets/secrets.ts'
import { chainHash } from '../chain.ts'
import type { CassetteHeader } from '../header.ts'
import { followedPath } from '../paths.ts'
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
  const check = (text: string, entry: number | undefined) => refuseSecrets(path, text, entry, secrets)
  try {
    replaceFileSync(followedPath(path), (fd) => writeTo(fd, cassette, check))
  } catch (cause) {
    throw cause instanceof CassetteError ? cause : unwritable(path, cause)
  }
}

/** The text of the file, for those who write it elsewhere. */
export function harText(cassette: Cassette): string {
  const pieces = [...writePieces(cassette)]
  return pieces
    .map(({ text }) => text)
    .join('')
    .replace(NO_CHAIN, chainOf(pieces))
}

function writeTo(
  fd: number,
  cassette: Cassette,
  check: (text: string, entry: number | undefined) => void,
): void {
  let chain = ''
  let chainAt = -1
  let length = 0
  let pending = ''
  const flush = () => {
    const bytes = Buffer.from(pending, 'utf8')
    writeAllSync(fd, bytes, length)
    length += bytes.length
    pending = ''
  }
  for (const { text, entry } of writePieces(cassette)) {
    check(text, entry)
    if (entry === undefined && chainAt === -1)
      chainAt = Buffer.byteLength(text.slice(0, text.indexOf(NO_CHAIN)))
    if (entry !== undefined) chain = chainHash(chain + text)
    pending += text
    if (pending.length > CHUNK_BYTES) flush()
  }
  flush()
  // The head holds a place of this length for the hash, which is known only after the last entry.
  if (chain !== '') writeSync(fd, chain, chainAt)
}

type Piece = { readonly text: string; readonly entry: number | undefined }

function* writePieces(cassette: Cassette): Generator<Piece> {
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
function chainOf(pieces: Iterable<Piece>): string {
  let chain = ''
  for (const { text, entry } of pieces) if (entry !== undefined) chain = chainHash(chain + text)
  return chain === '' ? NO_CHAIN : chain
}

function head(header: CassetteHeader): string {
  const { version, product, t0, origin, profile, volatile, redaction, outcomes, keyCheck } = header
  const [name = product, productVersion = ''] = product.split('/')
  const ours = {
    version,
    product,
    t0,
    origin,
    profile,
    volatile,
    redaction,
    outcomes,
    keyCheck,
    chain: NO_CHAIN,
  }
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
  const hit = firstHit(text, secrets)
  if (hit === undefined) return
  throw new CassetteError(
    'secret-found',
    path,
    `a secret (${hit.rule}) would have been written; the old file stands.`,
    entry === undefined ? {} : { entry },
  )
}

/** What cannot be looked through counts as one. */
function firstHit(text: string, secrets: Secrets): { readonly rule: string } | undefined {
  return withinBounds<{ readonly rule: string } | undefined>(
    () => secrets.findInFile(latin1(text))[0],
    (beyond) => ({ rule: `beyond ${beyond}` }),
  )
}
