import type { Interaction, Origin } from '../../interaction.ts'
import { type PlainReply, plainReply, unpackedLines } from '../../message/encoding.ts'
import { bindings, headerLines, isRecord, noReply, pairDigest, redactions } from '../checked.ts'
import type { Sharing } from '../sharing.ts'
import { EntryError, fault, number, readContent, record, text } from './members.ts'
import { servedLines, servedRequestBody } from './served.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Reads an entry that this product has written. What HAR knows is read from where HAR keeps it, so that an edit of what
 * a reviewer sees is an edit of what is served. `sharing` is that of the whole cassette.
 */
export function readEntry(value: unknown, origin: string, sharing: Sharing): Interaction {
  const entry = record(value, 'the entry')
  const ours = entry._cassette
  if (!isRecord(ours)) throw new EntryError('has no _cassette: it was not recorded by Sandgate')
  const request = record(entry.request, 'request')
  const response = record(entry.response, 'response')
  const wire = record(ours.wire, '_cassette.wire')
  const wireRequest = record(wire.request, '_cassette.wire.request')
  const startedAt = Date.parse(text(entry.startedDateTime, 'startedDateTime'))
  if (Number.isNaN(startedAt)) throw new EntryError('startedDateTime is not an instant')
  const url = text(request.url, 'request.url')
  if (!url.startsWith(origin))
    throw new EntryError(`request.url does not start with the cassette's origin ${origin}`)
  const httpVersion = text(request.httpVersion, 'request.httpVersion')
  const target = url.slice(origin.length)
  const complete = ours.complete !== false
  const reply = complete ? readReply(response, record(wire.reply, '_cassette.wire.reply')) : undefined
  const broken = reply?.kind === 'broken' ? reply.why : undefined
  const why = complete ? broken : noReply(ours.noReply)
  const headers = servedLines(request.headers, wireRequest.headers, 'request')
  return {
    sequence: number(ours.sequence, '_cassette.sequence'),
    ended: ours.ended === undefined ? undefined : number(ours.ended, '_cassette.ended'),
    ...(ours.startedBeforeEnd !== undefined && {
      startedBeforeEnd: number(ours.startedBeforeEnd, '_cassette.startedBeforeEnd'),
    }),
    startedAt,
    durationMs: number(entry.time, 'time'),
    lane: sharing.text(text(ours.lane, '_cassette.lane')),
    operation:
      ours.operation === undefined ? undefined : sharing.text(text(ours.operation, '_cassette.operation')),
    origin: sharing.text(text(ours.origin, '_cassette.origin') as Origin),
    request: {
      method: sharing.text(text(request.method, 'request.method')),
      target,
      httpVersion: httpVersion === 'HTTP/1.0' ? '1.0' : '1.1',
      headers: sharing.headers(headers),
      body: servedRequestBody(request.postData, wireRequest.body, headers),
    },
    reply:
      reply?.kind === 'whole' ? { ...reply.reply, headers: sharing.headers(reply.reply.headers) } : undefined,
    ...(why && { noReply: why }),
    bindings: sharing.bindings(bindings(ours.bindings) ?? fault('_cassette.bindings')),
    redactions: sharing.redactions(redactions(ours.redactions) ?? fault('_cassette.redactions')),
    ...(ours.began !== undefined && { began: number(ours.began, '_cassette.began') }),
    ...(ours.refusedPair !== undefined && {
      refusedPair: pairDigest(ours.refusedPair) ?? fault('_cassette.refusedPair'),
    }),
  }
}

function readReply(response: JsonObject, wire: JsonObject): PlainReply {
  const lines = servedLines(response.headers, wire.headers, 'response')
  // Format 1 kept the packed bytes, and took what it could read of them for the whole.
  if (typeof wire.body === 'string') {
    const packed = {
      status: 0,
      headers: headerLines(wire.headers) ?? [],
      body: Buffer.from(wire.body, 'base64'),
    }
    const plain = plainReply(packed)
    if (plain.kind === 'broken') return plain
  }
  const reply = {
    status: number(response.status, 'response.status'),
    headers: typeof wire.body === 'string' ? unpackedLines(lines) : lines,
    body: readContent(response.content, 'response.content'),
  }
  return { kind: 'whole', reply }
}
