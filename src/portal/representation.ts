import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, gzip } from 'node:zlib'
import { type HeaderValue, weightedRanges } from '../http/accept.ts'
import { getOrMake } from '../map-entries.ts'
import type { PageAnswer, Visit } from './page.ts'

const CODINGS = ['br', 'gzip', 'identity'] as const
type Coding = (typeof CODINGS)[number]

/** A document that does not change, in every coding that somebody has asked for. */
export type Representation = {
  /** Of its content, for its name or its ETag. */
  readonly digest: string
  readonly answer: (headers: Visit['headers'], cacheControl: string) => Promise<PageAnswer>
}

type Source = {
  readonly contentType: string
  /** As it is, or packed by Brotli already. */
  readonly bytes: Buffer
  readonly isPacked: boolean
}

/** Each coding is made once, off the event loop, when it is first asked for. */
export function createRepresentation({ contentType, bytes, isPacked }: Source): Representation {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  const made = new Map<Coding, Promise<Buffer>>()

  async function make(coding: Coding): Promise<Buffer> {
    if (coding === 'br') return isPacked ? bytes : await promisify(brotliCompress)(bytes)
    const plain = isPacked ? await promisify(brotliDecompress)(bytes) : bytes
    return coding === 'gzip' ? await promisify(gzip)(plain, { level: 9 }) : plain
  }

  return {
    digest,
    answer: async (headers, cacheControl) => {
      const coding = bestCoding(headers['accept-encoding'])
      // A strong one names the bytes, and each coding has its own.
      const etag = `"${digest}-${coding}"`
      const common = { etag, vary: 'Accept-Encoding', 'cache-control': cacheControl }
      if (names(headers['if-none-match'], etag))
        return { kind: 'page', status: 304, headers: common, body: '' }
      const encoding = coding === 'identity' ? {} : { 'content-encoding': coding }
      return {
        kind: 'page',
        status: 200,
        headers: { ...common, ...encoding, 'content-type': contentType },
        body: await getOrMake(made, coding, () => make(coding)),
      }
    },
  }
}

/** The one with the most weight, the smaller of equals; as it is where nothing is asked for (RFC 9110 section 12.5.3). */
function bestCoding(accepted: HeaderValue): Coding {
  if (accepted === undefined) return 'identity'
  const ranges = weightedRanges(accepted)
  const weight = (coding: Coding) => {
    const named = ranges.find(({ range }) => range === coding) ?? ranges.find(({ range }) => range === '*')
    return named?.quality ?? (coding === 'identity' ? 0.001 : 0)
  }
  const [best] = CODINGS.toSorted((a, b) => weight(b) - weight(a))
  return best !== undefined && weight(best) > 0 ? best : 'identity'
}

/** If-None-Match compares weakly (RFC 9110 section 13.1.2). */
function names(condition: HeaderValue, etag: string): boolean {
  const tags = String(condition ?? '').split(',')
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
