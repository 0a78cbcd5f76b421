import { existsSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { VOLATILE } from '../cassettes/bindings/contract.ts'
import { loadCassette } from '../cassettes/file/load.ts'
import { cassettePaths } from '../cassettes/file/paths.ts'
import { CASSETTE_VERSION, type Deciding } from '../cassettes/interaction.ts'
import { createLaneNames } from '../cassettes/message/lane-names.ts'
import type { Finished } from '../cassettes/writer/messages.ts'
import { createWriter, type WriterOptions } from '../cassettes/writer/writer.ts'
import { type Clock, systemClock } from '../clock.ts'
import { unrefServer } from '../http/unref-server.ts'
import { product } from '../product.ts'
import type { Failure } from '../upstream/failure.ts'
import { createUpstream, sendTo, type Upstream } from '../upstream/send.ts'
import { type AskedOutcomes, askOutcomes } from './ask-outcomes.ts'
import { type Bounds, createCaptureRoom, DEFAULT_BOUNDS } from './capture.ts'
import { createEpisode, wholeReply } from './episode.ts'
import { createPassage, type Route, type TakePassage } from './passage.ts'
import type { Player } from './player.ts'
import type { Recorded } from './recorded.ts'
import { createServer } from './server.ts'
import { shownPath } from './shown-request.ts'
import { createUpstreamTokens } from './upstream-token.ts'
import { type Urls, urlsBetween, urlsPast } from './urls.ts'

export type RecorderOptions = {
  /** Scheme, host and port; a path is what the upstream's paths begin with. */
  readonly upstream: URL
  /** `name.har`, or the name without the ending. */
  readonly out: string
  readonly port: number
  /** What an earlier recorder left that did not finish: gone on with, or thrown away. */
  readonly leftover: 'resume' | 'discard'
  /** What decides where the sandbox does not tell it; by default the built-in rules. */
  readonly deciding?: Deciding
  /** Those of the cassette that is added to: the sandbox is not asked. */
  readonly outcomes?: AskedOutcomes
  /** Known secrets, beside those that are seen on the way. */
  readonly secrets?: readonly string[]
  readonly cassetteKey?: string
  readonly clock?: Clock
  readonly bounds?: Bounds
  /** How long the upstream may take to begin an answer; 300 seconds by default. */
  readonly headersMs?: number
  /**
   * Starts what answers from the cassette that is there; only what it does not know is passed on, and added to that
   * cassette. Without it everything is passed on, and the recording replaces what is there. `url` is what the clients
   * type, known when somebody asks.
   */
  readonly player?: (url: () => string) => Promise<Player>
  /** A recording that replaces everything was killed, and its journal stands here now: this one does not go on with it. */
  readonly onSetAside?: (journal: string) => void
  /** The recording lacks something from now on; the traffic goes on. */
  readonly onBad?: (detail: string) => void
  readonly onFailure?: (request: string, failure: Failure) => void
  /** A recording that lacks answers takes the place of what is there all the same. */
  readonly allowsIncomplete?: boolean
  /** Leaves URLs as the upstream has them; a client that follows one is not recorded. */
  readonly keepUrls?: boolean
  /** Such a URL, with the words of the interface and no others; each is told once. */
  readonly onPast?: (url: string) => void
  /** `false`: a recorder that nobody has finished lets its process end; its journal is gone on with next time. */
  readonly ref?: boolean
}

export type RunningRecorder = {
  readonly url: string
  /** What decides in the sandbox, as the cassette says it. */
  readonly outcomes: AskedOutcomes
  /**
   * Stops listening and writes the cassette. Undefined when nothing has passed: then nothing is written, and what
   * was there stands. `isPartial`: what is there stands in any case, and the new one is written beside it.
   * @throws CassetteError
   */
  readonly finish: (isPartial?: boolean) => Promise<Recorded | undefined>
}

/** How long exchanges in flight may take after the end has been asked for. */
const GRACE_MS = 2_000
const HOST = '127.0.0.1'

/** Records what passes to a sandbox and back. @throws CassetteError, or the error of listening. */
export async function startRecorder(options: RecorderOptions): Promise<RunningRecorder> {
  const { upstream: url, clock = systemClock, onFailure = () => {} } = options
  const { journal } = cassettePaths(options.out)
  const isLeft = options.leftover === 'resume' && existsSync(journal)
  const upstream = createUpstream(url.origin, options.headersMs)
  const base = url.pathname.replace(/\/+$/, '')
  const asked = { base, host: url.host }
  const outcomes = options.outcomes ?? (await askOutcomes(upstream, asked, options.deciding))
  const writer = await createWriter(writerOptions(options, outcomes, clock)).catch(async (cause) => {
    await upstream.close()
    throw cause
  })
  const isResumed = isLeft && writer.setAside === undefined
  if (writer.setAside !== undefined) options.onSetAside?.(writer.setAside)
  /** A journal without an exchange is of no use to anybody; what a resumed one holds is kept. */
  const leave = async () => {
    await writer.close()
    if (!isResumed) rmSync(journal, { force: true })
  }
  const bounds = options.bounds ?? DEFAULT_BOUNDS
  let ownUrl = ''
  let urls: Urls | undefined
  const route: Route = {
    upstream,
    writer,
    room: createCaptureRoom(bounds, writer.markBad),
    lanes: createLaneNames(),
    clock,
    host: url.host,
    base,
    urls: () => (options.keepUrls ? undefined : urls),
    onReply: options.keepUrls ? namesPast(url.origin + base, options.onPast) : () => {},
  }
  let player: Player | undefined
  let playing: Upstream | undefined
  let app: FastifyInstance | undefined
  const stop = async () => {
    await app?.close()
    await Promise.all([route.upstream.close(), playing?.close(), player?.close()])
  }
  try {
    player = await options.player?.(() => ownUrl)
    playing = player && createUpstream(player.url)
    const take = player && playing ? episodes(route, player, playing, bounds) : passages(route)
    app = createServer({ take, origin: url.origin, onFailure })
    await app.listen({ host: HOST, port: options.port })
    if (options.ref === false) unrefServer(app.server)
  } catch (cause) {
    await Promise.allSettled([stop(), leave()])
    throw cause
  }
  const { server } = app
  ownUrl = `http://${HOST}:${(server.address() as AddressInfo).port}`
  urls = urlsBetween(ownUrl, url, base)

  return {
    url: ownUrl,
    outcomes,
    finish: async (isPartial = false) => {
      const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await stop()
      clearTimeout(cut)
      const hasNews = writer.status().exchanges > 0 || (player !== undefined && isResumed)
      if (!hasNews) {
        await leave()
        return undefined
      }
      return summary(await writer.finish(player?.continuations(), isPartial))
    },
  }
}

/** How many different URLs are told. */
const MOST_URLS = 100

function namesPast(upstream: string, onPast: (url: string) => void = () => {}): Route['onReply'] {
  const told = new Set<string>()
  return (reply) => {
    for (const url of urlsPast(reply, upstream)) {
      const shown = upstream + shownPath(url.slice(upstream.length))
      if (told.has(shown) || told.size >= MOST_URLS) continue
      told.add(shown)
      onPast(shown)
    }
  }
}

function writerOptions(
  options: RecorderOptions,
  { from, rules, scores }: AskedOutcomes,
  clock: Clock,
): WriterOptions {
  const { onBad = () => {} } = options
  return {
    path: options.out,
    header: {
      version: CASSETTE_VERSION,
      product: product(),
      t0: clock.now(),
      origin: options.upstream.origin,
      profile: 'contract',
      volatile: [...VOLATILE],
      outcomes: { from, rules, scores },
    },
    allowHeaders: [],
    personal: true,
    ...(options.cassetteKey && { cassetteKey: options.cassetteKey }),
    secrets: options.secrets ?? [],
    existing: options.player ? 'append' : 'replace',
    leftover: options.leftover,
    replaces: options.leftover === 'discard',
    onlyWhole: options.leftover === 'discard' && !options.allowsIncomplete,
    onBad: ({ fault }) => onBad(fault?.detail ?? 'not all that passed was recorded.'),
  }
}

function passages(route: Route): TakePassage {
  return (...exchange) => createPassage(route, ...exchange)
}

function episodes(route: Route, player: Player, playing: Upstream, bounds: Bounds): TakePassage {
  const { upstream, writer, clock, base } = route
  const tokens = createUpstreamTokens({
    writer,
    clock,
    send: async ({ method, target, headers, body }) =>
      wholeReply(await sendTo(upstream, { method, target: base + target, lines: headers, body })),
  })
  // What waits for the player has not passed yet: when it is too long for that, nothing is missing.
  const waiting = createCaptureRoom(bounds, () => {})
  return (...exchange) => createEpisode({ ...route, player, playing, waiting, tokens }, ...exchange)
}

function summary({ path, kept, recovered, withoutReply = [] }: Finished): Recorded {
  const interactions = loadCassette(path).interactions.slice(kept)
  const redactions = interactions.flatMap((interaction) => interaction.redactions)
  return {
    path,
    exchanges: interactions.length,
    aborted: withoutReply.length,
    withoutReply,
    secrets: redactions.filter(({ kind }) => kind === 'secret').length,
    personal: redactions.filter(({ kind }) => kind === 'personal').length,
    ...(recovered && { recovered }),
  }
}
