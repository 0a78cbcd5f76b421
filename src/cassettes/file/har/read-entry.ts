import type { HeaderLine } from '../../../http/header-lines.ts'
import type { Interaction, Origin } from '../../interaction.ts'
import { bindings, headerLines, isRecord, redactions } from '../checked.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** An entry lacks something that a cassette needs; the message names it. */
export class EntryError extends Error {}

/** Reads an entry that this product has written. What HAR knows is read from where HAR keeps it. */
export function readEntry(value: unknown, origin: string): Interaction {
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
  return {
    sequence: number(ours.sequence, '_cassette.sequence'),
    ended: ours.ended === undefined ? undefined : number(ours.ended, '_cassette.ended'),
    ...(ours.startedBeforeEnd !== undefined && {
      startedBeforeEnd: number(ours.startedBeforeEnd, '_cassette.startedBeforeEnd'),
    }),
    startedAt,
    durationMs: number(entry.time, 'time'),
    lane: text(ours.lane, '_cassette.lane'),
    operation: ours.operation === undefined ? undefined : text(ours.operation, '_cassette.operation'),
    origin: text(ours.origin, '_cassette.origin') as Origin,
    request: {
      method: text(request.method, 'request.method'),
      target,
      httpVersion: httpVersion === 'HTTP/1.0' ? '1.0' : '1.1',
      headers: lines(wireRequest.headers, '_cassette.wire.request.headers'),
      body: readContent(wireRequest.body, request.postData, 'request.postData'),
    },
    reply: complete ? readReply(response, record(wire.reply, '_cassette.wire.reply')) : undefined,
    bindings: bindings(ours.bindings) ?? fault('_cassette.bindings'),
    redactions: redactions(ours.redactions) ?? fault('_cassette.redactions'),
  }
}

function readReply(response: JsonObject, wire: JsonObject) {
  return {
    status: number(response.status, 'response.status'),
    headers: lines(wire.headers, '_cassette.wire.reply.headers'),
    body: readContent(wire.body, record(response.content, 'response.content'), 'response.content'),
  }
}

/** The bytes of a body: as they were on the wire when those are kept, else those of the text. */
export function readContent(wire: unknown, content: unknown, name: string): Uint8Array {
  if (typeof wire === 'string') return Buffer.from(wire, 'base64')
  if (content === undefined) return new Uint8Array(0)
  const { text: held, encoding } = record(content, name)
  if (held === undefined) return new Uint8Array(0)
  return Buffer.from(text(held, `${name}.text`), encoding === 'base64' ? 'base64' : 'utf8')
}

export function record(value: unknown, name: string): JsonObject {
  return isRecord(value) ? value : fault(name)
}

export function text(value: unknown, name: string): string {
  return typeof value === 'string' ? value : fault(name)
}

export function number(value: unknown, name: string): number {
  return typeof value === 'number' ? value : fault(name)
}

function lines(value: unknown, name: string): readonly HeaderLine[] {
  return headerLines(value) ?? fault(name)
}

function fault(name: string): never {
  throw new EntryError(`${name} is missing or has the wrong type`)
}
