import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import type { CapturedReply, CapturedRequest, NoReply } from '../cassettes/interaction.ts'
import type { LaneNames } from '../cassettes/message/lane-names.ts'
import type { Writer } from '../cassettes/writer/writer.ts'
import type { Clock } from '../clock.ts'
import { grantsToken } from '../operations/operations.ts'
import type { Upstream, UpstreamReply } from '../upstream/send.ts'
import { sendReply } from './answer.ts'
import { readArrival } from './arrival.ts'
import type { CaptureRoom } from './capture.ts'
import type { Urls } from './urls.ts'

/** What every exchange that passes needs. */
export type Route = {
  readonly upstream: Upstream
  readonly writer: Writer
  readonly room: CaptureRoom
  readonly lanes: LaneNames
  readonly clock: Clock
  /** `host:port` of the upstream. */
  readonly host: string
  /** How URLs are moved, once it is known where the recorder listens; undefined where they are left as they are. */
  readonly urls: () => Urls | undefined
  /** A reply has come in. */
  readonly onReply: (reply: CapturedReply) => void
  /** What the upstream's paths begin with; empty for most. */
  readonly base: string
}

/** One exchange on its way through the recorder. */
export type Passage = {
  readonly hasBody: boolean
  /** Whether the client has gone. */
  readonly isAborted: () => boolean
  /** Sends the request; once more after an error that allows it. */
  readonly send: (done: (error: Error | null, reply?: UpstreamReply) => void) => void
  /** Sends the reply to the client. */
  readonly answer: (reply: UpstreamReply) => void
  /** There will be no reply of the upstream's. */
  readonly fail: () => void
}

/** Takes over one exchange at its head. */
export type TakePassage = (req: IncomingMessage, res: ServerResponse, url: string) => Passage

const NOTHING = new Uint8Array(0)

/**
 * Lets one exchange pass and hands a copy to the recording: the request when it is complete, the reply when it is.
 * The two ends set the pace; the recording never does.
 */
export function createPassage(route: Route, ...[req, res, url]: Parameters<TakePassage>): Passage {
  const { writer, lanes, room } = route
  const arrival = readArrival(req, url, route)
  const { startedAt, operation, named } = arrival
  const upload = arrival.hasBody ? createUpload(req, room, arrival.isHeld) : undefined
  const isGone = () => hasGone(res)
  let release = () => {}
  let opened: { readonly ticket: number; readonly request: CapturedRequest } | undefined
  let end: (() => void) | undefined

  const requestDone = () => {
    if (opened) return
    const request = arrival.recorded(upload?.take() ?? NOTHING)
    const lane = lanes.of({ request, named, operation })
    opened = { ticket: writer.open({ startedAt, lane, operation, request }), request }
    end?.()
  }
  // An upstream that answers early ends an exchange whose request is still arriving.
  const replyDone = (reply: CapturedReply | undefined, noReply?: NoReply) => {
    if (end) return
    const durationMs = arrival.age()
    end = () => {
      const why = noReply && { noReply }
      if (opened) writer.end(opened.ticket, { durationMs, origin: 'upstream', reply, ...why })
    }
    end()
  }
  const received = (reply: CapturedReply) => {
    if (grantsToken(operation) && opened) lanes.granted(opened.request, reply)
    route.onReply(reply)
  }

  if (upload) {
    req.once('end', requestDone)
    req.once('close', requestDone)
  } else {
    req.resume()
    requestDone()
  }
  res.once('close', () => {
    if (res.writableFinished) return
    release()
    replyDone(undefined, 'client-left')
  })

  return {
    hasBody: upload !== undefined,
    isAborted: isGone,
    send: (done) => {
      if (isGone()) return
      const pass = (held: Uint8Array | undefined) => {
        const { method, target, headers, body } = arrival.request(held ?? NOTHING)
        const sent = held ? body : (upload?.stream ?? null)
        release = route.upstream.send(
          { method, target: route.base + target, lines: headers, body: sent },
          done,
        )
      }
      if (upload && arrival.isHeld) upload.held.then((body) => isGone() || pass(body))
      else pass(undefined)
    },
    answer: (reply) =>
      sendReply(
        res,
        reply,
        room,
        {
          received,
          done: replyDone,
          broken: (why) => replyDone(undefined, why),
        },
        route.urls(),
      ),
    fail: () => replyDone(undefined, isGone() ? 'client-left' : 'unanswered'),
  }
}

export function hasGone(res: ServerResponse): boolean {
  return res.destroyed && !res.writableFinished
}

type Upload = {
  readonly stream: Readable
  /** The body, once it is whole; undefined when it is too long to be held, or broke off: then it streams. */
  readonly held: Promise<Uint8Array | undefined>
  readonly take: () => Uint8Array
}

/** A body that is longer passes as it is. */
const HELD_BYTES = 16 * 1024 * 1024

/**
 * The body for the upstream, and the copy. When the upstream has answered and wants no more, the rest is still read:
 * the client's next request on this connection follows it.
 */
function createUpload(req: IncomingMessage, room: CaptureRoom, isHeld: boolean): Upload {
  const stream = new PassThrough()
  const copy = room.capture()
  let held: Buffer[] | undefined = isHeld ? [] : undefined
  let length = 0
  let resolve = (_body: Uint8Array | undefined) => {}
  const whole = new Promise<Uint8Array | undefined>((done) => {
    resolve = done
  })
  const letGo = () => {
    for (const chunk of held ?? []) stream.write(chunk)
    held = undefined
    resolve(undefined)
  }
  req.on('data', (chunk: Buffer) => {
    copy.add(chunk)
    if (held) {
      held.push(chunk)
      length += chunk.length
      if (length > HELD_BYTES) letGo()
      return
    }
    if (!stream.destroyed && !stream.write(chunk)) req.pause()
  })
  stream.on('drain', () => req.resume())
  stream.on('close', () => req.resume())
  // The exchange gets this error through the upstream's `done`.
  stream.on('error', () => {})
  req.once('end', () => {
    resolve(held && Buffer.concat(held))
    stream.end()
  })
  req.once('close', () => {
    resolve(undefined)
    if (!req.complete) stream.destroy(new Error('the client went away'))
  })
  return { stream, held: whole, take: copy.take }
}
