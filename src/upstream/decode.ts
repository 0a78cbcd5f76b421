import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  inflate,
} from 'node:zlib'
import type { HeaderLine } from '../http/header-lines.ts'
import { systemCode } from '../system-error.ts'
import { UpstreamFault } from './failure.ts'

type Options = { readonly maxOutputLength: number }

/** What an upstream may use although it was asked for none. */
const CODINGS: Readonly<
  Record<
    string,
    {
      readonly whole: (body: Buffer, options: Options) => Promise<Buffer>
      readonly stream: () => Readable & NodeJS.WritableStream
    }
  >
> = {
  gzip: { whole: promisify(gunzip), stream: createGunzip },
  'x-gzip': { whole: promisify(gunzip), stream: createGunzip },
  deflate: { whole: promisify(inflate), stream: createInflate },
  br: { whole: promisify(brotliDecompress), stream: createBrotliDecompress },
}

/** The codings of a body, in the order in which they were applied: those of the transfer came last. */
export function codingsOf(lines: readonly HeaderLine[]): readonly string[] {
  return [...listed(lines, 'content-encoding'), ...listed(lines, 'transfer-encoding')]
}

function listed(lines: readonly HeaderLine[], header: string): string[] {
  const codings: string[] = []
  for (const [name, value] of lines) {
    if (name.length !== header.length || name.toLowerCase() !== header) continue
    for (const each of value.toLowerCase().split(',')) {
      const coding = each.trim()
      // Chunks are put together already.
      if (coding !== '' && coding !== 'identity' && coding !== 'chunked') codings.push(coding)
    }
  }
  return codings
}

/** @throws UpstreamFault for a coding that is not known, and an error of zlib for a body that is not what it says. */
export async function decodeWhole(
  codings: readonly string[],
  body: Buffer,
  maxOutputLength: number,
): Promise<Buffer> {
  let bytes = body
  for (const coding of known(codings).toReversed()) {
    try {
      bytes = await coding.whole(bytes, { maxOutputLength })
    } catch (error) {
      throw systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? new UpstreamFault('ANSWER_TOO_LONG') : error
    }
  }
  return bytes
}

/** @throws UpstreamFault for a coding that is not known. A body that is not what it says ends with an error. */
export function decodeStream(codings: readonly string[], body: Readable): Readable {
  return known(codings)
    .toReversed()
    .reduce((encoded: Readable, coding) => {
      // Whoever reads the last one is told of an error anywhere before it.
      return pipeline(encoded, coding.stream(), () => {}) as unknown as Readable
    }, body)
}

/** Nobody uses more of them; each that is undone takes memory, however short the answer is. */
const MOST_CODINGS = 4

function known(codings: readonly string[]) {
  if (codings.length > MOST_CODINGS) throw new UpstreamFault('UNKNOWN_CODING')
  return codings.map((name) => {
    const coding = CODINGS[name]
    if (coding === undefined) throw new UpstreamFault('UNKNOWN_CODING')
    return coding
  })
}
