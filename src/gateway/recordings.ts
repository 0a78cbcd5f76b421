import { existsSync } from 'node:fs'
import { CassetteError } from '../cassettes/cassette-error.ts'
import type { CapturedExchange } from '../cassettes/interaction.ts'
import type { WithoutReply } from '../cassettes/without-reply.ts'
import type { Writer } from '../cassettes/writer/writer.ts'
import { createWorkQueue } from '../work-queue.ts'
import {
  type Active,
  droppedOf,
  openRecording,
  pathOf,
  type RecordingParts,
  type RecordingRow,
  recordedExchange,
  rowOf,
} from './recording.ts'

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
  /** Other rules are in force from now on: every recording is finished, and goes on as `NAME-2`. Returns at once. */
  readonly rulesChanged: () => void
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

/** A recording whose rules have changed: what passes meanwhile waits for the one that goes on with it. */
type Switching = { readonly partner: string | null; readonly waiting: CapturedExchange[] }

export function createRecordings(parts: RecordingParts): Recordings {
  const { logger } = parts
  const active = new Map<string, Active>()
  const ending = new Set<Writer>()
  const ended = { recorded: 0, dropped: 0 }
  const switching = new Set<Switching>()
  const changes = createWorkQueue()

  const start: Recordings['start'] = async (name, partner) => {
    if (active.has(name))
      throw new CassetteError('busy', pathOf(parts, name), 'it is being recorded already.')
    const one = await openRecording(parts, name, name, partner)
    active.set(name, one)
    return rowOf(name, one)
  }

  const finish = async (name: string, { writer }: Active): Promise<StoppedRecording> => {
    ending.add(writer)
    try {
      const { path, interactions, withoutReply } = await writer.finish()
      const lacking = withoutReply?.filter(({ isFault }) => isFault).length ?? 0
      if (lacking > 0) logger.warn({ recording: name, lacking }, 'recording lacks answers')
      logger.info({ recording: name, path, interactions }, 'recording finished')
      return { path, interactions, ...(withoutReply && { withoutReply }) }
    } finally {
      ending.delete(writer)
      ended.recorded += writer.status().written
      ended.dropped += droppedOf(writer)
    }
  }

  const stop: Recordings['stop'] = async (asked) => {
    await changes.idle()
    const name = active.has(asked) ? asked : [...active].find(([, one]) => one.asked === asked)?.[0]
    const one = active.get(name ?? '')
    if (name === undefined || !one) return undefined
    active.delete(name)
    return finish(name, one)
  }

  const freeName = (asked: string): string => {
    let n = 2
    while (active.has(`${asked}-${n}`) || existsSync(pathOf(parts, `${asked}-${n}`))) n++
    return `${asked}-${n}`
  }

  const goOn = async (name: string, one: Active, change: Switching): Promise<void> => {
    const { partner, waiting } = change
    const failed = (err: unknown) => logger.error({ err, recording: name }, 'recording is not finished')
    await finish(name, one).catch(failed)
    try {
      const nextName = freeName(one.asked)
      const next = await openRecording(parts, nextName, one.asked, partner)
      active.set(nextName, next)
      for (const exchange of waiting) next.writer.record(exchange)
    } catch (err) {
      logger.error({ err, recording: name }, 'recording does not go on under the new rules')
    }
    switching.delete(change)
  }

  /** What passes from here on was decided by other rules, so it belongs into a cassette of its own. */
  const rulesChanged = () => {
    for (const [name, one] of [...active]) {
      const { partner } = one
      const next: Switching = { partner, waiting: [] }
      active.delete(name)
      switching.add(next)
      void changes.run(() => goOn(name, one, next))
    }
  }

  return {
    isActive: () => active.size > 0 || switching.size > 0,
    record: (passed) => {
      const exchange = recordedExchange(parts, passed)
      const wants = (partner: string | null) => partner === null || partner === exchange.partner
      for (const { writer, partner } of active.values()) if (wants(partner)) writer.record(exchange)
      for (const { waiting, partner } of switching) if (wants(partner)) waiting.push(exchange)
    },
    list: () => [...active].map(([name, one]) => rowOf(name, one)),
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
    rulesChanged,
    close: async () => {
      await changes.idle()
      for (const name of [...active.keys()]) {
        await stop(name).catch((error: unknown) => {
          logger.error({ err: error, recording: name }, 'recording is not finished')
        })
      }
    },
  }
}
