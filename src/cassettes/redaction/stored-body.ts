import { type HeaderLine, withoutHeader } from '../../http/header-lines.ts'
import type { Redaction } from '../interaction.ts'
import { codingOf } from '../message/encoding.ts'
import type { ReadableBody } from '../message/readable-body.ts'
import { spliced } from '../message/splice.ts'
import { bodyDigest } from './body-digest.ts'
import type { Edit } from './edits.ts'

/** The rules that a content coding gave way to; the coding itself follows. */
export const UNREADABLE = 'unreadable-encoding'
export const STORED_DECODED = 'stored-decoded'

/** The content coding that a stored request had, where its header says so no longer. */
export function storedCoding(redactions: readonly Redaction[]): string | undefined {
  for (const { place, rule } of redactions) {
    if (place.part !== 'request-header' || place.pointer !== '/content-encoding') continue
    if (rule.startsWith(UNREADABLE) || rule.startsWith(STORED_DECODED))
      return rule.split(' ').slice(1).join(' ')
  }
  return undefined
}

/**
 * The body of a request as it is stored. A packed body that holds nothing passes as it is; one that does is stored
 * unpacked, without its content coding; of one that nobody can look into the length and a digest are.
 */
export function storedBody(
  original: Uint8Array,
  body: ReadableBody,
  edits: readonly Edit[],
  headers: readonly HeaderLine[],
): { body: Uint8Array; headers: readonly HeaderLine[]; redactions: readonly Redaction[] } {
  if (body.encoding === 'opaque') {
    const place = { part: 'request-body', pointer: '' } as const
    const without = withoutHeader(headers, 'content-encoding')
    const rule = `${UNREADABLE} ${codingOf(headers)}`
    const coding: Redaction = { place: CODING, kind: 'secret', rule }
    return {
      body: Buffer.from(bodyDigest(original)),
      headers: without,
      redactions: [
        { place, kind: 'secret', rule: beyondRule(body) },
        ...(without.length < headers.length ? [coding] : []),
      ],
    }
  }
  if (edits.length === 0) return { body: original, headers, redactions: [] }
  const bytes = Buffer.from(spliced(body.bytes, edits), 'latin1')
  if (body.encoding === 'plain') return { body: bytes, headers, redactions: [] }
  return {
    body: bytes,
    headers: withoutHeader(headers, 'content-encoding'),
    redactions: [
      {
        place: CODING,
        kind: edits.some((edit) => edit.kind === 'secret') ? 'secret' : 'personal',
        rule: `${STORED_DECODED} ${codingOf(headers)}`,
      },
    ],
  }
}

const CODING = { part: 'request-header', pointer: '/content-encoding' } as const

/** What a cassette says of a body that was not kept: `beyond too-deep`. */
export function beyondRule({ beyond = 'unknown-packing' }: Pick<ReadableBody, 'beyond'>): string {
  return `beyond ${beyond}`
}
