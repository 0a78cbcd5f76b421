import { join } from 'node:path'
import { VOLATILE } from '../cassettes/bindings/contract.ts'
import { CassetteError } from '../cassettes/cassette-error.ts'
import type { CapturedExchange } from '../cassettes/interaction.ts'
import { CASSETTE_VERSION } from '../cassettes/interaction.ts'
import { moveReply, moveRequest } from '../cassettes/message/urls.ts'
import type { WithoutReply } from '../cassettes/no-reply.ts'
import { createWriter, type Writer } from '../cassettes/writer/writer.ts'
import { type Clock, instant } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/logger.ts'
import { product } from '../product.ts'

/** A recording of the front door as an operator sees it. */
export type RecordingRow = {
  readonly name: string
  /** Null: what every partner sends, and what nobody is known to have sent. */
  readonly partner: string | null
  readonly startedAt: string
  readonly state: 'recording' | 'bad' | 'finished' | 'closed'
  readonly exchanges: number
  readonly fault?: string
}

export type Recordings = {
  readonly isActive: () => boolean
  /** Hands an exchange to every recording that wants it. Returns at once and never throws. */
  readonly record: (exchange: CapturedExchange) => void
  readonly list: () => readonly RecordingRow[]
  /** Since the start, for the metrics. */
  readonly counts: () => RecordingCounts
  /** @throws CassetteError when the name is taken or the directory cannot be written. */
  readonly start: (name: string, partner: string | null) => Promise<RecordingRow>
  /** Finishes a recording as `name.har`; undefined when there is none of that name. @throws CassetteError */
  readonly stop: (name: string) => Promise<StoppedRecording | undefined>
  readonly close: () => Promise<void>
}

export type RecordingCounts = {
  /** Recordings under way, and those of them that have lost something. */
  readonly active: number
  readonly bad: number
  /** Exchanges that are on the disk, and those that a bad recording did not take, once for each recording. */
  readonly recorded: number
  readonly dropped: number
}

export type StoppedRecording = {
  readonly path: string
  readonly interactions: number
  /** What was recorded without a reply, when there is such a thing. */
  readonly withoutReply?: readonly WithoutReply[]
}

export const RECORDING_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

type Active = { readonly writer: Writer; readonly partner: string | null; readonly startedAt: number }

export function createRecordings(
  config: Config,
  origin: () => string,
  clock: Clock,
  logger: Logger,
): Recordings {
  const active = new Map<string, Active>()
  const ending = new Set<Writer>()
  const ended = { recorded: 0, dropped: 0 }
  const secrets = config.operator.token === null ? [] : [config.operator.token]

  const row = (name: string, { writer, partner, startedAt }: Active): RecordingRow => {
    const { state, exchanges, fault } = writer.status()
    return {
      name,
      partner,
      startedAt: instant(startedAt),
      state,
      exchanges,
      ...(fault && { fault: fault.message }),
    }
  }

  const start: Recordings['start'] = async (name, partner) => {
    const startedAt = clock.now()
    const path = join(config.recording.directory, `${name}.har`)
    if (active.has(name)) throw new CassetteError('busy', path, 'it is being recorded already.')
    const writer = await createWriter({
      path,
      header: {
        version: CASSETTE_VERSION,
        product: product(),
        t0: startedAt,
        origin: config.recording.origin ?? origin(),
        profile: 'contract',
        volatile: [...VOLATILE],
      },
      rules: config.outcomes,
      testValues: Object.keys(config.scores),
      allowHeaders: [],
      personal: config.recording.personalData === 'redact',
      secrets,
      existing: 'replace',
      leftover: 'resume',
      onBad: ({ fault }) =>
        logger.error({ recording: name, fault: fault?.message }, 'recording is incomplete'),
    })
    const one = { writer, partner, startedAt }
    active.set(name, one)
    logger.info({ recording: name, partner, path }, 'recording')
    return row(name, one)
  }

  const stop: Recordings['stop'] = async (name) => {
    const one = active.get(name)
    if (!one) return undefined
    active.delete(name)
    ending.add(one.writer)
    try {
      const { path, interactions, withoutReply } = await one.writer.finish()
      const lacking = withoutReply?.filter(({ isFault }) => isFault).length ?? 0
      if (lacking > 0) logger.warn({ recording: name, lacking }, 'recording lacks answers')
      logger.info({ recording: name, path, interactions }, 'recording finished')
      return { path, interactions, ...(withoutReply && { withoutReply }) }
    } finally {
      ending.delete(one.writer)
      ended.recorded += one.writer.status().written
      ended.dropped += droppedOf(one.writer)
    }
  }

  /** With the URLs of the cassette, where those of the gateway are others. */
  const recordedExchange = (exchange: CapturedExchange): CapturedExchange => {
    const move = { from: origin(), to: config.recording.origin ?? origin() }
    if (move.from === move.to) return exchange
    const { request, reply } = exchange
    return { ...exchange, request: moveRequest(request, move), reply: reply && moveReply(reply, move) }
  }

  return {
    isActive: () => active.size > 0,
    record: (passed) => {
      const exchange = recordedExchange(passed)
      for (const { writer, partner } of active.values()) {
        if (partner === null || partner === exchange.partner) writer.record(exchange)
      }
    },
    list: () => [...active].map(([name, one]) => row(name, one)),
    counts: () => {
      const writers = [...[...active.values()].map(({ writer }) => writer), ...ending]
      const sum = (count: (writer: Writer) => number) =>
        writers.reduce((total, writer) => total + count(writer), 0)
      return {
        active: active.size,
        bad: sum((writer) => Number(writer.status().state === 'bad')),
        recorded: ended.recorded + sum((writer) => writer.status().written),
        dropped: ended.dropped + sum(droppedOf),
      }
    },
    start,
    stop,
    close: async () => {
      for (const name of [...active.keys()]) {
        await stop(name).catch((error: unknown) => {
          logger.error({ err: error, recording: name }, 'recording is not finished')
        })
      }
    },
  }
}

/** What passed and is missing: nothing, while a recording is whole. */
function droppedOf(writer: Writer): number {
  const { exchanges, written, fault } = writer.status()
  return fault ? exchanges - written : 0
}
