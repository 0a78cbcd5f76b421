import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { CapturedReply, CapturedRequest } from '../cassettes/interaction.ts'
import { headerOf } from '../http/header-lines.ts'
import { LANE_HEADER } from '../http/lane.ts'
import { grantsToken } from '../operations/operations.ts'
import { BodyTooLargeError } from '../upstream/failure.ts'
import { endToEnd } from '../upstream/hop-headers.ts'
import { sendTo, type Upstream, type UpstreamReply } from '../upstream/send.ts'
import { sendReply } from './answer.ts'
import { type Arrival, readArrival } from './arrival.ts'
import type { CaptureRoom } from './capture.ts'
import { hasGone, type Passage, type Route, type TakePassage } from './passage.ts'
import type { Player } from './player.ts'
import { type Asked, UpstreamTokenError, type UpstreamTokens } from './upstream-token.ts'

export type EpisodeRoute = Route & {
  readonly player: Player
  /** The way to the player. */
  readonly playing: Upstream
  /** For bodies that wait for the player's answer. */
  readonly waiting: CaptureRoom
  readonly tokens: UpstreamTokens
}

/** A request that the tape does not answer, on its way to the upstream. */
type Forwarded = {
  readonly request: CapturedRequest
  readonly end: (reply: CapturedReply | undefined) => void
}

const NOTHING = new Uint8Array(0)

/**
 * One exchange of a recording that goes on with a cassette: the tape answers, and what it does not know is passed on
 * to the upstream, byte for byte, and recorded.
 */
export function createEpisode(route: EpisodeRoute, ...[req, res, url]: Parameters<TakePassage>): Passage {
  const { player, tokens, lanes } = route
  const arrival = readArrival(req, url, route.host, route.clock)
  const { startedAt, operation, named } = arrival
  const body = wholeBody(req, arrival, route.waiting)
  let release = () => {}
  let forwarded: Forwarded | undefined
  let received = (_reply: CapturedReply) => {}

  const ask = async (
    upstream: Upstream,
    base: string,
    { method, target, headers, body }: CapturedRequest,
  ) => {
    if (hasGone(res)) throw new Error('the client went away')
    const request = { method, target: base + target, lines: headers, body: arrival.hasBody ? body : null }
    return sendTo(upstream, request, (abort) => {
      release = abort
    })
  }

  const play = async (): Promise<UpstreamReply> => {
    const request = arrival.request(await body)
    const lane = lanes.of({ request, named, operation })
    const lines = [...request.headers, [LANE_HEADER, lane] as const]
    const reply = await ask(route.playing, '', { ...request, headers: lines })
    const verdict = player.verdict(headerOf(reply.lines, 'x-request-id') ?? '')
    if (operation !== undefined && grantsToken(operation)) {
      const asked: Asked = { lane, operation, request, isNew: verdict?.kind === 'new-exchange' }
      received = (granted) => {
        lanes.granted(request, granted)
        tokens.granted(asked, granted)
      }
    }
    if (verdict?.kind !== 'miss') return reply
    const miss = await wholeReply(reply)
    try {
      const headers = await tokens.authorize(request.headers, startedAt)
      verdict.forwarded()
      forwarded = open({ ...request, headers }, lane)
    } catch (error) {
      if (!(error instanceof UpstreamTokenError)) throw error
      verdict.stays(error.message)
      return { ...reply, body: Readable.from([miss.body]) }
    }
    return ask(route.upstream, route.base, forwarded.request)
  }

  const open = (request: CapturedRequest, lane: string): Forwarded => {
    const ticket = route.writer.open({ startedAt, lane, operation, request })
    let isOver = false
    const end = (reply: CapturedReply | undefined) => {
      if (isOver) return
      isOver = true
      route.writer.end(ticket, { durationMs: arrival.age(), origin: 'upstream', reply })
    }
    return { request, end }
  }

  res.once('close', () => {
    if (res.writableFinished) return
    release()
    forwarded?.end(undefined)
  })

  return {
    hasBody: arrival.hasBody,
    isAborted: () => hasGone(res),
    send: (done) => {
      // The tape has been asked already when a request is sent once more.
      const replying = forwarded ? ask(route.upstream, route.base, forwarded.request) : play()
      replying.then(
        (reply) => done(null, reply),
        (error: Error) => done(error),
      )
    },
    answer: (reply) =>
      sendReply(res, reply, forwarded ? route.room : route.waiting, {
        received,
        done: (whole) => forwarded?.end(whole),
      }),
    fail: () => forwarded?.end(undefined),
  }
}

/** @throws BodyTooLargeError */
function wholeBody(req: IncomingMessage, { hasBody }: Arrival, room: CaptureRoom): Promise<Uint8Array> {
  const copy = room.capture()
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    req.once('end', () => (copy.isWhole() ? resolve(copy.take()) : reject(new BodyTooLargeError())))
    req.once('close', () => {
      copy.take()
      reject(new Error('the client went away'))
    })
  })
  // Whoever waits for it hears of it; a client that goes away earlier is nobody's trouble.
  whole.catch(() => {})
  req.on('data', copy.add)
  return hasBody ? whole : Promise.resolve(NOTHING)
}

/** A reply that is needed as a whole, by somebody who is not its client. */
export async function wholeReply({ status, lines, body }: UpstreamReply): Promise<CapturedReply> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return { status, headers: endToEnd(lines), body: Buffer.concat(chunks) }
}
