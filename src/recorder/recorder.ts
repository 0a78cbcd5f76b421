import { existsSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { VOLATILE } from '../cassettes/bindings.ts'
import { CASSETTE_VERSION } from '../cassettes/interaction.ts'
import { cassettePaths } from '../cassettes/journal-files.ts'
import { loadCassette } from '../cassettes/load.ts'
import { createWriter } from '../cassettes/writer.ts'
import { type Clock, systemClock } from '../clock.ts'
import { DEFAULT_OUTCOMES, type OutcomeRule } from '../config/schema.ts'
import { product } from '../product.ts'
import { type Bounds, createCaptureRoom, DEFAULT_BOUNDS } from './capture.ts'
import type { Failure } from './failure.ts'
import { createLanes } from './lane.ts'
import { createServer } from './server.ts'
import { createUpstream } from './upstream.ts'

export type RecorderOptions = {
  /** Scheme, host and port; a path is what the upstream's paths begin with. */
  readonly upstream: URL
  /** `name.har`, or the name without the ending. */
  readonly out: string
  readonly port: number
  /** What an earlier recorder left that did not finish: gone on with, or thrown away. */
  readonly leftover: 'resume' | 'discard'
  /** What a configuration would say; by default the built-in rules. */
  readonly rules?: readonly OutcomeRule[]
  readonly testValues?: readonly string[]
  /** Known secrets, beside those that are seen on the way. */
  readonly secrets?: readonly string[]
  readonly cassetteKey?: string
  readonly clock?: Clock
  readonly bounds?: Bounds
  /** The recording lacks something from now on; the traffic goes on. */
  readonly onBad?: (detail: string) => void
  readonly onFailure?: (request: string, failure: Failure) => void
}

export type Recorded = {
  readonly path: string
  readonly exchanges: number
  /** Exchanges that had no reply of the upstream's. */
  readonly aborted: number
  readonly secrets: number
  readonly personal: number
  readonly recovered?: { readonly recovered: number; readonly dropped: number }
}

export type RunningRecorder = {
  readonly url: string
  /**
   * Stops listening and writes the cassette. Undefined when nothing has passed: then nothing is written, and what
   * was there stands. @throws CassetteError
   */
  readonly finish: () => Promise<Recorded | undefined>
}

/** How long exchanges in flight may take after the end has been asked for. */
const GRACE_MS = 2_000

/** Records what passes to a sandbox and back. @throws CassetteError, or the error of listening. */
export async function startRecorder(options: RecorderOptions): Promise<RunningRecorder> {
  const { upstream: url, out, clock = systemClock, onBad = () => {}, onFailure = () => {} } = options
  const { journal } = cassettePaths(out)
  const isResumed = options.leftover === 'resume' && existsSync(journal)
  const writer = await createWriter({
    path: out,
    header: {
      version: CASSETTE_VERSION,
      product: product(),
      t0: clock.now(),
      origin: url.origin,
      profile: 'contract',
      volatile: [...VOLATILE],
    },
    rules: options.rules ?? DEFAULT_OUTCOMES,
    testValues: options.testValues ?? [],
    allowHeaders: [],
    personal: true,
    ...(options.cassetteKey && { cassetteKey: options.cassetteKey }),
    secrets: options.secrets ?? [],
    existing: 'replace',
    leftover: options.leftover,
    onBad: ({ fault }) => onBad(fault?.detail ?? 'not all that passed was recorded.'),
  })
  /** A journal without an exchange is of no use to anybody; what a resumed one holds is kept. */
  const leave = async () => {
    await writer.close()
    if (!isResumed) rmSync(journal, { force: true })
  }
  const upstream = createUpstream(url.origin)
  const room = createCaptureRoom(options.bounds ?? DEFAULT_BOUNDS, writer.spoil)
  const base = url.pathname.replace(/\/+$/, '')
  const lane = createLanes()
  const route = { upstream, writer, room, lane, clock, host: url.host, base }
  const app = createServer({ route, origin: url.origin, onFailure })
  try {
    await app.listen({ host: '127.0.0.1', port: options.port })
  } catch (cause) {
    await Promise.allSettled([app.close(), upstream.close(), leave()])
    throw cause
  }
  const { port } = app.server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    finish: async () => {
      const cut = setTimeout(() => app.server.closeAllConnections(), GRACE_MS)
      await app.close()
      clearTimeout(cut)
      await upstream.close()
      if (writer.status().exchanges === 0) {
        await leave()
        return undefined
      }
      const { path, recovered } = await writer.finish()
      return { ...summary(path), ...(recovered && { recovered }) }
    },
  }
}

function summary(path: string): Omit<Recorded, 'recovered'> {
  const { interactions } = loadCassette(path)
  const redactions = interactions.flatMap((interaction) => interaction.redactions)
  return {
    path,
    exchanges: interactions.length,
    aborted: interactions.filter(({ reply }) => reply === undefined).length,
    secrets: redactions.filter(({ kind }) => kind === 'secret').length,
    personal: redactions.filter(({ kind }) => kind === 'personal').length,
  }
}
