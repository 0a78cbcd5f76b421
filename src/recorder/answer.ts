import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { CapturedReply, NoReply } from '../cassettes/interaction.ts'
import { endToEnd } from '../upstream/hop-headers.ts'
import type { UpstreamReply } from '../upstream/send.ts'
import type { CaptureRoom } from './capture.ts'

export type Watcher = {
  /** The reply is there as a whole; the client may not have all of it yet. */
  readonly received: (reply: CapturedReply) => void
  /** The client has it. */
  readonly done: (reply: CapturedReply) => void
  /** The client does not get it as a whole. */
  readonly broken: (why: NoReply) => void
}

/** Sends a reply to the client as it comes in, and shows it to the watcher. */
export function sendReply(
  res: ServerResponse,
  { status, statusMessage, lines, body, trailers }: UpstreamReply,
  room: CaptureRoom,
  { received, done, broken }: Watcher,
): void {
  const headers = endToEnd(lines)
  const copy = room.capture()
  // Node would give a reply without a Date one of its own.
  res.sendDate = false
  try {
    res.writeHead(status, statusMessage, headers.flat())
  } catch {
    // What Node's parser takes is not always what its writer takes; the client sees the connection break.
    broken('cut')
    body.destroy()
    res.destroy()
    return
  }
  let reply: CapturedReply | undefined
  body.on('data', copy.add)
  body.once('end', () => {
    reply = { status, headers, body: copy.take() }
    received(reply)
    const last = endToEnd(trailers())
    if (last.length > 0) res.addTrailers(last.map(([name, value]): [string, string] => [name, value]))
  })
  // A client that goes away ends the upstream's answer as well.
  body.once('error', () => broken(res.destroyed ? 'client-left' : 'cut'))
  pipeline(body, res, (error) => {
    copy.take()
    if (reply && !error) done(reply)
    else broken('client-left')
  })
  // The head does not wait for a body that is slow to begin; that of a quick one leaves in the same packet.
  setImmediate(() => {
    if (!res.writableEnded && !res.destroyed) res.flushHeaders()
  })
}
