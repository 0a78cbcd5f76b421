import { headerOf } from '../../http/header-lines.ts'
import { grantsToken, operationOf } from '../../operations/operations.ts'
import { CassetteError } from '../cassette-error.ts'
import { EntryError } from '../file/har/members.ts'
import { harParts } from '../file/har/parts.ts'
import type { HarParts } from '../file/har/split.ts'
import type { CassetteHeader } from '../file/header.ts'
import { readFile } from '../file/read-file.ts'
import {
  CASSETTE_VERSION,
  type CapturedExchange,
  type CapturedRequest,
  type Cassette,
  type Interaction,
} from '../interaction.ts'
import { createLaneNames } from '../message/lane-names.ts'
import type { PairBook } from '../redaction/pair-book.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { exchangeOf, type ForeignExchange } from './import-entry.ts'

export type ImportOptions = {
  readonly redactor: Redactor
  /** Digests the pairs of refused token exchanges. */
  readonly pairs?: PairBook
  /** The bindings, by the engine that matches them. */
  readonly annotate: (interactions: readonly Interaction[]) => readonly Interaction[]
  readonly header: Omit<CassetteHeader, 'version' | 't0' | 'origin'>
  /** Scheme, host and port of the API in the HAR; by default those of the first entry that the interface knows. */
  readonly origin?: string
}

export type Imported = {
  readonly cassette: Cassette
  /** Entries that were left out, numbered from 1, and why. */
  readonly skipped: readonly { readonly entry: number; readonly reason: string }[]
}

/**
 * Makes a cassette of any HAR: of a browser, mitmproxy or Playwright. What the interface does not know (pages, assets,
 * other hosts) is left out and counted; a preflight is kept with the operation that it asks for.
 *
 * @throws CassetteError
 */
export function importHar(path: string, options: ImportOptions): Imported {
  return importHarBytes(readFile(path), path, options)
}

export function importHarBytes(bytes: Buffer, path: string, options: ImportOptions): Imported {
  const parts = harParts(bytes, path)
  if (parts.members.has('_cassette'))
    throw new CassetteError('foreign', path, 'is a cassette already; replay it as it is.')
  const skipped: { entry: number; reason: string }[] = []
  const read: { exchange: ForeignExchange; operation: string | undefined }[] = []
  let origin = options.origin
  const isBrowser = isOfBrowser(bytes, parts.members)
  for (const [i, [start, end]] of (parts.entries ?? []).entries()) {
    const entry = i + 1
    try {
      const exchange = exchangeOf(JSON.parse(bytes.toString('utf8', start, end)), isBrowser)
      const operation = operationOf(exchange.request.method, exchange.request.target)
      if (operation === undefined && !isPreflight(exchange.request))
        throw new EntryError('is no request of the interface')
      origin ??= exchange.urlOrigin
      if (exchange.urlOrigin !== origin) throw new EntryError(`went to ${exchange.urlOrigin}`)
      read.push({ exchange, operation })
    } catch (cause) {
      if (!(cause instanceof EntryError))
        throw new CassetteError('undecodable', path, 'the entry cannot be read.', { entry })
      skipped.push({ entry, reason: cause.message })
    }
  }
  // What an exchange has told is looked for in those after it, and programs that write HAR do not keep to their order.
  read.sort((a, b) => a.exchange.startedAt - b.exchange.startedAt)
  const lanes = createLaneNames()
  const found = read.map(({ exchange, operation }): Found => {
    const { request: asked, named, reply: told } = exchange
    const lane = lanes.of({ request: asked, named, operation })
    if (told && grantsToken(operation)) lanes.granted(asked, told)
    const interaction = interactionOf({ ...exchange, lane, operation }, options)
    const { startedAt, durationMs } = interaction
    return { at: startedAt, end: startedAt + durationMs, interaction }
  })
  const all = options.annotate(numbered(found))
  const interactions = options.pairs?.settled(all) ?? all
  const t0 = interactions[0]?.startedAt ?? 0
  const cassette = { ...options.header, version: CASSETTE_VERSION, t0, origin: origin ?? '', interactions }
  return { cassette, skipped }
}

/** A browser asks before it sends a request of the interface. */
function isPreflight({ method, target, headers }: CapturedRequest): boolean {
  const wanted = method === 'OPTIONS' ? headerOf(headers, 'access-control-request-method') : undefined
  return wanted !== undefined && operationOf(wanted.trim().toUpperCase(), target) !== undefined
}

/** Browsers say who they are, and in which product of theirs the HAR was written. */
function isOfBrowser(bytes: Buffer, members: HarParts['members']): boolean {
  const creator = members.get('creator')
  const name = creator ? bytes.toString('utf8', ...creator) : ''
  return members.has('browser') || /WebInspector|WebKit|Firefox|Chrome|Safari|Edge/i.test(name)
}

type Unnumbered = Omit<Interaction, 'sequence' | 'ended'>
type Found = { readonly at: number; readonly end: number; readonly interaction: Unnumbered }

/** Redacted, as a recorder would have written it. */
function interactionOf(exchange: CapturedExchange, { redactor, pairs }: ImportOptions): Unnumbered {
  const { exchange: redacted, redactions, bindings } = redactor.redact(exchange)
  const { startedAt, durationMs, lane, operation, request, reply, noReply } = redacted
  const refusedPair =
    grantsToken(operation) && exchange.reply && pairs?.ended(exchange.request, exchange.reply)
  return {
    ...{ startedAt, durationMs, lane, operation, request, reply, redactions, bindings },
    origin: 'upstream',
    ...(noReply && { noReply }),
    ...(refusedPair && { refusedPair }),
  }
}

function numbered(found: readonly Found[]): Interaction[] {
  const starts = [...found].sort((a, b) => a.at - b.at)
  const ends = [...starts].filter(({ interaction }) => interaction.reply).sort((a, b) => a.end - b.end)
  const order = new Map(ends.map((one, i) => [one, i + 1]))
  return starts.map((one, i) => ({ ...one.interaction, sequence: i + 1, ended: order.get(one) }))
}
