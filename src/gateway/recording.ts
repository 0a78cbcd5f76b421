import { join } from 'node:path'
import { VOLATILE } from '../cassettes/bindings/contract.ts'
import type { CapturedExchange } from '../cassettes/interaction.ts'
import { CASSETTE_VERSION } from '../cassettes/interaction.ts'
import { moveReply, moveRequest } from '../cassettes/message/urls.ts'
import { createWriter, type Writer, type WriterOptions } from '../cassettes/writer/writer.ts'
import { type Clock, instant } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/logger.ts'
import { product } from '../product.ts'

/** What every recording of the front door is made with. */
export type RecordingParts = {
  readonly config: () => Config
  /** Where partners reach the gateway. */
  readonly origin: () => string
  readonly clock: Clock
  readonly logger: Logger
}

/** One that is under way. */
export type Active = {
  readonly writer: Writer
  readonly partner: string | null
  readonly startedAt: number
  /** As it was asked for; a recording that goes on under other rules is called `NAME-2`. */
  readonly asked: string
}

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

export function rowOf(name: string, { writer, partner, startedAt }: Active): RecordingRow {
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

export function pathOf({ config }: Pick<RecordingParts, 'config'>, name: string): string {
  return join(config().recording.directory, `${name}.har`)
}

/** @throws CassetteError when somebody else records under this name, or the directory cannot be written. */
export async function openRecording(
  parts: RecordingParts,
  name: string,
  asked: string,
  partner: string | null,
): Promise<Active> {
  const { config, origin, clock, logger } = parts
  const startedAt = clock.now()
  const path = pathOf(parts, name)
  const onBad = (fault: string | undefined) =>
    logger.error({ recording: name, fault }, 'recording is incomplete')
  const writer = await createWriter(
    writerOptions(config(), path, origin(), startedAt, ({ fault }) => onBad(fault?.message)),
  )
  logger.info({ recording: name, partner, path }, 'recording')
  return { writer, partner, startedAt, asked }
}

/** With the URLs of the cassette, where those of the gateway are others. */
export function recordedExchange(
  { config, origin }: RecordingParts,
  exchange: CapturedExchange,
): CapturedExchange {
  const move = { from: origin(), to: config().recording.origin ?? origin() }
  if (move.from === move.to) return exchange
  const { request, reply } = exchange
  return { ...exchange, request: moveRequest(request, move), reply: reply && moveReply(reply, move) }
}

/** What passed and is missing: nothing, while a recording is whole. */
export function droppedOf(writer: Writer): number {
  const { exchanges, written, fault } = writer.status()
  return fault ? exchanges - written : 0
}

function writerOptions(
  { recording, operator, outcomes, scores }: Config,
  path: string,
  origin: string,
  t0: number,
  onBad: NonNullable<WriterOptions['onBad']>,
): WriterOptions {
  return {
    path,
    header: {
      version: CASSETTE_VERSION,
      product: product(),
      t0,
      origin: recording.origin ?? origin,
      profile: 'contract',
      volatile: [...VOLATILE],
      outcomes: { from: 'configuration', rules: outcomes, scores },
    },
    allowHeaders: [],
    personal: recording.personalData === 'redact',
    secrets: operator.token === null ? [] : [operator.token],
    existing: 'replace',
    leftover: 'resume',
    onBad,
  }
}
