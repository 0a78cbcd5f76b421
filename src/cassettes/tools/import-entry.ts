import { headerOf } from '../../http/header-lines.ts'
import { LANE_HEADER, takeLane } from '../../http/lane.ts'
import { isRecord } from '../file/checked.ts'
import { EntryError, number, readContent, record, text } from '../file/har/members.ts'
import type { CapturedExchange } from '../interaction.ts'
import { foreignLines, foreignReply, unwired } from './import-reply.ts'

/** `urlOrigin`: scheme, host and port. `named`: the lane that it names, in a header or before its path. */
export type ForeignExchange = Omit<CapturedExchange, 'lane'> & {
  readonly urlOrigin: string
  readonly named: string | undefined
}

/** An exchange from an entry of anybody's HAR. `isBrowser`: a browser has written it. @throws EntryError */
export function exchangeOf(value: unknown, isBrowser: boolean): ForeignExchange {
  const entry = record(value, 'the entry')
  const request = record(entry.request, 'request')
  const response = record(entry.response, 'response')
  const spelled = text(request.url, 'request.url')
  const url = urlOf(spelled)
  const startedAt = Date.parse(text(entry.startedDateTime, 'startedDateTime'))
  if (Number.isNaN(startedAt)) throw new EntryError('startedDateTime is not an instant')
  const headers = unwired(foreignLines(request.headers, 'request.headers'), 'content-encoding')
  // As it was spelled: URL would tidy it.
  const asked = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(spelled)?.[1] || '/'
  // The prefix names the lane, and no sandbox has such a path.
  const { lane, target } = takeLane(asked)
  const status = number(response.status, 'response.status')
  return {
    startedAt,
    durationMs: typeof entry.time === 'number' && entry.time >= 0 ? entry.time : 0,
    partner: undefined,
    named: headerOf(headers, LANE_HEADER) ?? lane,
    operation: undefined,
    origin: 'upstream',
    urlOrigin: url.origin,
    request: {
      method: text(request.method, 'request.method').toUpperCase(),
      target,
      httpVersion: request.httpVersion === 'HTTP/1.0' ? '1.0' : '1.1',
      headers,
      body: requestBody(request.postData),
    },
    ...foreignReply(entry, status, isBrowser),
  }
}

function requestBody(postData: unknown): Uint8Array {
  if (!isRecord(postData)) return new Uint8Array(0)
  if (typeof postData.text === 'string' && (postData.text !== '' || !Array.isArray(postData.params)))
    return readContent(postData, 'request.postData')
  // Some exporters give the fields of a form alone.
  const params = Array.isArray(postData.params) ? postData.params.filter(isRecord) : []
  const form = new URLSearchParams(
    params.map(({ name, value }): [string, string] => [String(name ?? ''), String(value ?? '')]),
  )
  return Buffer.from(form.toString())
}

function urlOf(url: string): URL {
  if (!URL.canParse(url)) throw new EntryError('request.url is not an absolute URL')
  const parsed = new URL(url)
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    throw new EntryError('was not made over HTTP')
  return parsed
}
