import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { CapturedReply, CapturedRequest, NoReply } from '../cassettes/interaction.ts'
import { type HeaderLine, headerOf } from '../http/header-lines.ts'
import { LANE_HEADER } from '../http/lane.ts'
import { grantsToken } from '../operations/operations.ts'
import { BodyTooLargeError } from '../upstream/failure.ts'
import { endToEnd } from '../upstream/hop-headers.ts'
import { sendTo, type Upstream, type UpstreamReply } from '../upstream/send.ts'
import { sendReply } from './answer.ts'
import { type Arrival, readArrival } from './arrival.ts'
import type { CaptureRoom } from './capture.ts'
import { hasGone, type Passage, type Route, type TakePassage } from './passage.ts'
import type { Player, Verdict } from './player.ts'
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
  /** Records how it ended, once. */
  readonly end: (reply: CapturedReply | undefined, noReply?: NoReply) => void
}

/** Where one exchange is. */
type Episode = {
  readonly route: EpisodeRoute
  readonly arrival: Arrival
  readonly body: Promise<Uint8Array>
  readonly isGone: () => boolean
  /** Lets go of whoever is being asked. */
  release: () => void
  forwarded: Forwarded | undefined
  /** What is to be learnt from the reply once it is whole. */
  received: (reply: CapturedReply) => void
}

const NOTHING = new Uint8Array(0)

/**
 * One exchange of a recording that goes on with a cassette: the tape answers, and what it does not know is passed on
 * to the upstream, byte for byte, and recorded.
 */
export function createEpisode(route: EpisodeRoute, ...[req, res, url]: Parameters<TakePassage>): Passage {
  const arrival = readArrival(req, url, route)
  const isGone = () => hasGone(res)
  const episode: Episode = {
    route,
    arrival,
    body: wholeBody(req, arrival, route.waiting),
    isGone,
    release: () => {},
    forwarded: undefined,
    received: () => {},
  }
  res.once('close', () => {
    if (res.writableFinished) return
    episode.release()
    episode.forwarded?.end(undefined, 'client-left')
  })
  return {
    hasBody: arrival.hasBody,
    isAborted: isGone,
    send: (done) => {
      // When a request is sent once more, the tape has been asked already.
      const { forwarded } = episode
      const replying = forwarded ? ask(episode, route.upstream, route.base, forwarded.request) : play(episode)
      replying.then(
        (reply) => done(null, reply),
        (error: Error) => done(error),
      )
    },
    answer: (reply) =>
      sendReply(
        res,
        reply,
        episode.forwarded ? route.room : route.waiting,
        {
          received: (whole) => {
            episode.received(whole)
            if (episode.forwarded) route.onReply(whole)
          },
          done: (whole) => episode.forwarded?.end(whole),
          broken: (why) => episode.forwarded?.end(undefined, why),
        },
        episode.forwarded ? route.urls() : undefined,
      ),
    fail: () => episode.forwarded?.end(undefined, isGone() ? 'client-left' : 'unanswered'),
  }
}

async function ask(
  episode: Episode,
  upstream: Upstream,
  base: string,
  { method, target, headers, body }: CapturedRequest,
): Promise<UpstreamReply> {
  if (episode.isGone()) throw new Error('the client went away')
  const { hasBody } = episode.arrival
  const request = { method, target: base + target, lines: headers, body: hasBody ? body : null }
  return sendTo(upstream, request, (abort) => {
    episode.release = abort
  })
}

/** Asks the tape, and the upstream for what is not on it. */
async function play(episode: Episode): Promise<UpstreamReply> {
  const { route, arrival } = episode
  const { operation, named } = arrival
  const body = await episode.body
  const request = arrival.recorded(body)
  const lane = route.lanes.of({ request, named, operation })
  const lines = [...request.headers, [LANE_HEADER, lane] as const]
  const reply = await ask(episode, route.playing, '', { ...request, headers: lines })
  const verdict = route.player.verdict(headerOf(reply.lines, 'x-request-id') ?? '')
  if (operation !== undefined && grantsToken(operation)) {
    const asked: Asked = { lane, operation, request, isNew: verdict?.kind === 'new-exchange' }
    episode.received = (granted) => {
      route.lanes.granted(request, granted)
      route.tokens.granted(asked, granted)
    }
  }
  return verdict?.kind === 'miss' ? forward(episode, lane, body, reply, verdict) : reply
}

/** Passes a request on that the tape has missed; `reply` is the tape's answer, for when it cannot be passed on. */
async function forward(
  episode: Episode,
  lane: string,
  body: Uint8Array,
  reply: UpstreamReply,
  verdict: Verdict & { readonly kind: 'miss' },
): Promise<UpstreamReply> {
  const { route, arrival } = episode
  const miss = await wholeReply(reply)
  try {
    const sent = arrival.request(body)
    const headers = await route.tokens.authorize(sent.headers, arrival.startedAt)
    verdict.forwarded()
    // The upstream's token takes the place of the tape's in both.
    const recorded = arrival.recorded(body)
    const lines = recorded.headers.map((line, i) => (isAuthorization(line) ? (headers[i] ?? line) : line))
    const end = openForwarded(episode, { ...recorded, headers: lines }, lane)
    episode.forwarded = { request: { ...sent, headers }, end }
  } catch (error) {
    if (!(error instanceof UpstreamTokenError)) throw error
    verdict.stays(error.message)
    return { ...reply, body: Readable.from([miss.body]) }
  }
  return ask(episode, route.upstream, route.base, episode.forwarded.request)
}

function openForwarded(
  { route, arrival }: Episode,
  request: CapturedRequest,
  lane: string,
): Forwarded['end'] {
  const { startedAt, operation } = arrival
  const ticket = route.writer.open({ startedAt, lane, operation, request })
  let isOver = false
  const end = (reply: CapturedReply | undefined, noReply?: NoReply) => {
    if (isOver) return
    isOver = true
    const why = noReply && { noReply }
    route.writer.end(ticket, { durationMs: arrival.age(), origin: 'upstream', reply, ...why })
  }
  return end
}

function isAuthorization([name]: HeaderLine): boolean {
  return name.toLowerCase() === 'authorization'
}

/** @throws BodyTooLargeError */
function wholeBody(req: IncomingMessage, { hasBody }: Arrival, room: CaptureRoom): Promise<Uint8Array> {
  const copy = room.capture()
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    req.once('end', () => (copy.isWhole() ? resolve(copy.take()) : reject(new BodyTooLargeError())))
    req.once('close', () => {
      copy.drop()
      reject(new Error('the client went away'))
    })
  })
  // Whoever awaits it gets the error; when nobody does, it must not end the process as an unhandled one.
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
