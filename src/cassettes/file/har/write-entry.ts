import { STATUS_CODES } from 'node:http'
import { instant } from '../../../clock.ts'
import { type HeaderLine, headerOf, WIRE_HEADERS } from '../../../http/header-lines.ts'
import type { CapturedReply, CapturedRequest, Interaction } from '../../interaction.ts'
import { decodeBody, decodedBody, plainReply } from '../../message/encoding.ts'
import { queryValues } from '../../message/form-spans.ts'
import { storeBody } from '../body-text.ts'

/**
 * An entry of HAR 1.2, keys in a fixed order. What is standard serves every reader of HAR: bodies are decoded, and
 * headers that would then lie are left out. What is ours stands in `_cassette`, the headers as they were on the wire
 * among it.
 */
export function harEntry(interaction: Interaction, origin: string) {
  const { request, reply, sequence, ended, startedBeforeEnd, lane, operation, bindings, redactions } =
    interaction
  const { noReply } = interaction
  return {
    startedDateTime: instant(interaction.startedAt),
    time: interaction.durationMs,
    request: harRequest(request, origin),
    response: reply ? harResponse(reply, request.httpVersion) : NO_RESPONSE,
    cache: {},
    timings: { send: 0, wait: interaction.durationMs, receive: 0 },
    _cassette: {
      sequence,
      ...(ended !== undefined && { ended }),
      ...(startedBeforeEnd !== undefined && { startedBeforeEnd }),
      ...(interaction.began !== undefined && { began: interaction.began }),
      lane,
      ...(operation !== undefined && { operation }),
      origin: interaction.origin,
      complete: reply !== undefined,
      ...(noReply !== undefined && { noReply }),
      bindings: bindings.map(({ type, value, madeBy, places }) => ({
        type,
        value,
        madeBy,
        places: places.map(({ part, pointer }) => ({ part, pointer })),
      })),
      redactions: redactions.map(({ place, kind, rule, digest }) => ({
        place: { part: place.part, pointer: place.pointer },
        kind,
        rule,
        ...(digest !== undefined && { digest }),
      })),
      ...(interaction.refusedPair && { refusedPair: interaction.refusedPair }),
      wire: {
        request: wireOf(request),
        ...(reply && { reply: { headers: unpacked(reply).headers } }),
      },
    },
  }
}

/** Status 0 is how HAR says that no response came. */
const NO_RESPONSE = {
  status: 0,
  statusText: '',
  httpVersion: 'HTTP/1.1',
  cookies: [],
  headers: [],
  content: { size: 0, mimeType: 'x-unknown' },
  redirectURL: '',
  headersSize: -1,
  bodySize: -1,
}

function harRequest(request: CapturedRequest, origin: string) {
  const query = queryValues(request.target)
  const body = decodedBody(request)
  return {
    method: request.method,
    url: origin + request.target,
    httpVersion: `HTTP/${request.httpVersion}`,
    cookies: [],
    headers: standardHeaders(request.headers),
    queryString: query.map(({ name, value }) => ({ name, value })),
    ...(body.length > 0 && {
      postData: {
        mimeType: headerOf(request.headers, 'content-type') ?? 'application/octet-stream',
        ...content(body),
      },
    }),
    headersSize: -1,
    bodySize: request.body.length,
  }
}

function harResponse(reply: CapturedReply, httpVersion: string) {
  const { body } = unpacked(reply)
  return {
    status: reply.status,
    statusText: STATUS_CODES[reply.status] ?? '',
    httpVersion: `HTTP/${httpVersion}`,
    cookies: [],
    headers: standardHeaders(reply.headers),
    content: {
      size: body.length,
      mimeType: headerOf(reply.headers, 'content-type') ?? 'x-unknown',
      ...content(body),
    },
    redirectURL: headerOf(reply.headers, 'location') ?? '',
    headersSize: -1,
    bodySize: reply.body.length,
  }
}

/** Playwright reads `encoding` of a request's body as well; the standard knows it for responses alone. */
function content(body: Uint8Array): { text: string; encoding?: 'base64' } {
  const stored = storeBody(body)
  if (stored === undefined) return { text: '' }
  return 'text' in stored ? { text: stored.text } : { text: stored.base64, encoding: 'base64' }
}

/**
 * The packed bytes of a request are kept beside their text, since a sandbox may be asked for them again; an answer is
 * served as its text.
 */
function wireOf({ headers, body }: CapturedRequest) {
  const decoded = decodeBody(headers, body)
  return { headers, ...(decoded.kind === 'decoded' && { body: Buffer.from(body).toString('base64') }) }
}

/** An answer without its coding, as every recorder hands it over. */
function unpacked(reply: CapturedReply): CapturedReply {
  const plain = plainReply(reply)
  return plain.kind === 'whole' ? plain.reply : reply
}

/** `content` holds the decoded body, beside which the headers of the wire would be wrong. */
function standardHeaders(lines: readonly HeaderLine[]) {
  return lines
    .filter(([name]) => !WIRE_HEADERS.has(name.toLowerCase()))
    .map(([name, value]) => ({ name: name.toLowerCase(), value }))
}
