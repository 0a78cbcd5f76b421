import { type HeaderLine, withoutHeader } from '../../http/header-lines.ts'
import type { Redaction } from '../interaction.ts'
import type { ReadableBody } from '../message/readable-body.ts'
import { spliced } from '../message/splice.ts'
import type { Edit } from './edits.ts'

/**
 * The body of a request as it is stored. A compressed body that holds nothing passes as it is; one that does is stored decoded,
 * without its content coding; one that nobody can look into is not stored.
 */
export function storedBody(
  original: Uint8Array,
  body: ReadableBody,
  edits: readonly Edit[],
  headers: readonly HeaderLine[],
): { body: Uint8Array; headers: readonly HeaderLine[]; redactions: readonly Redaction[] } {
  const opaque = body.encoding === 'opaque'
  if (edits.length === 0 && !opaque) return { body: original, headers, redactions: [] }
  const bytes = Buffer.from(spliced(body.bytes, edits), 'latin1')
  if (body.encoding === 'plain') return { body: bytes, headers, redactions: [] }
  const kind = edits.some((edit) => edit.kind === 'secret') || opaque ? 'secret' : 'personal'
  return {
    body: bytes,
    headers: withoutHeader(headers, 'content-encoding'),
    redactions: [
      {
        place: { part: 'request-header', pointer: '/content-encoding' },
        kind,
        rule: opaque ? 'unreadable-encoding' : 'stored-decoded',
      },
    ],
  }
}
