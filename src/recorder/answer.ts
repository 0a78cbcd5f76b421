import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { CapturedReply, NoReply } from '../cassettes/interaction.ts'
import { plainReply } from '../cassettes/message/encoding.ts'
import { moveReply, moveReplyLines, withLength } from '../cassettes/message/urls.ts'
import type { HeaderLine } from '../http/header-lines.ts'
import { mediaTypeOf } from '../http/media-type.ts'
import { endToEnd } from '../upstream/hop-headers.ts'
import type { UpstreamReply } from '../upstream/send.ts'
import type { CaptureRoom } from './capture.ts'
import { recordedReply, type Urls } from './urls.ts'

export type Watcher = {
  /** The reply is there as a whole; the client may not have all of it yet. */
  readonly received: (reply: CapturedReply) => void
  /** The client has it. */
  readonly done: (reply: CapturedReply) => void
  /** The client does not get it as a whole. */
  readonly broken: (why: NoReply) => void
}

/** A JSON body that is longer passes as it is. */
const MOVED_BYTES = 16 * 1024 * 1024

/**
 * Sends a reply to the client as it comes in, and shows it to the watcher as it is recorded. With `urls`, what leads to
 * the upstream leads to the recorder; a JSON body is held for that until it is whole.
 */
export function sendReply(
  res: ServerResponse,
  upstream: UpstreamReply,
  room: CaptureRoom,
  { received, done, broken }: Watcher,
  urls: Urls | undefined,
): void {
  const { status, statusMessage, body, trailers } = upstream
  const headers = endToEnd(upstream.lines)
  const shown = urls ? moveReplyLines(headers, urls.toClient) : headers
  const copy = room.capture()
  // Node would give a reply without a Date one of its own.
  res.sendDate = false
  const writeHead = (lines: readonly HeaderLine[]): boolean => {
    try {
      res.writeHead(status, statusMessage, lines.flat())
      return true
    } catch {
      // What Node's parser takes is not always what its writer takes; the client sees the connection break.
      broken('cut')
      copy.drop()
      body.destroy()
      res.destroy()
      return false
    }
  }
  let reply: CapturedReply | undefined
  const ended = () => {
    // One that is too long to be looked through is no answer to serve.
    if (copy.isWhole()) {
      reply = recordedReply({ status, headers, body: copy.take() }, urls)
      received(reply)
    }
    const last = endToEnd(trailers())
    if (last.length > 0) res.addTrailers(last.map(([name, value]): [string, string] => [name, value]))
  }
  const over = (error?: Error | null) => {
    copy.drop()
    if (reply && !error) done(reply)
    else broken(error || copy.isWhole() ? 'client-left' : 'beyond-bound')
  }
  body.on('data', copy.add)
  // A client that goes away ends the upstream's answer as well.
  body.once('error', () => broken(res.destroyed ? 'client-left' : 'cut'))
  if (urls && /[/+]json$/.test(mediaTypeOf(headers))) {
    hold(upstream, {
      whole: (bytes) => {
        const moved = movedJson({ status, headers, body: bytes }, shown, urls)
        if (!writeHead(moved.headers)) return
        ended()
        res.once('finish', () => over())
        res.end(moved.body)
      },
      pass: (first) => {
        if (!writeHead(shown)) return
        for (const chunk of first) res.write(chunk)
        body.once('end', ended)
        pipeline(body, res, over)
      },
    })
    return
  }
  if (!writeHead(shown)) return
  body.once('end', ended)
  pipeline(body, res, over)
  // The head does not wait for a body that is slow to begin; that of a quick one leaves in the same packet.
  setImmediate(() => {
    if (!res.writableEnded && !res.destroyed) res.flushHeaders()
  })
}

/** A JSON reply as the client gets it: as it was, unless a URL in it is moved. */
function movedJson(
  reply: CapturedReply,
  shown: readonly HeaderLine[],
  urls: Urls,
): { readonly headers: readonly HeaderLine[]; readonly body: Uint8Array } {
  const plain = plainReply(reply)
  if (plain.kind === 'broken') return { headers: shown, body: reply.body }
  const moved = moveReply(plain.reply, urls.toClient)
  if (moved.body === plain.reply.body) return { headers: shown, body: reply.body }
  return { headers: withLength(moved.headers, moved.body), body: moved.body }
}

/** Collects a body; one that breaks off or is too long passes on from what there is of it. */
function hold(
  { body }: UpstreamReply,
  then: { readonly whole: (bytes: Buffer) => void; readonly pass: (first: readonly Buffer[]) => void },
): void {
  const held: Buffer[] = []
  let length = 0
  const stop = () => {
    body.off('data', collect)
    body.off('end', end)
    body.off('error', pass)
  }
  const pass = () => {
    stop()
    then.pass(held)
  }
  const end = () => {
    stop()
    then.whole(Buffer.concat(held))
  }
  const collect = (chunk: Buffer) => {
    held.push(chunk)
    length += chunk.length
    if (length > MOVED_BYTES) pass()
  }
  body.on('data', collect)
  body.once('end', end)
  body.once('error', pass)
}
