import type { HeaderLine } from '../../../http/header-lines.ts'
import { joined } from '../../bindings/joined.ts'
import { CassetteError } from '../../cassette-error.ts'
import type { CapturedReply, CapturedRequest, Interaction, NoReply, PairDigest } from '../../interaction.ts'
import { plainReply } from '../../message/encoding.ts'
import { readStored } from '../body-text.ts'
import * as shape from '../checked.ts'
import type { AbortedLine, DoneLine, OpenLine } from './lines.ts'
import type { ReadJournal } from './read.ts'

type Known = {
  readonly end: DoneLine | AbortedLine
  readonly order: number
  readonly startedBeforeEnd: number
}

/** The exchanges of a journal, numbered in the order of their starts and of their ends. */
export function journalInteractions(journal: ReadJournal, path: string): Interaction[] {
  const started = journal.opened.map((open, index) => ({ open, index }))
  started.sort((a, b) => a.open.startedAt - b.open.startedAt || a.index - b.index)
  const sequences = new Array<number>(started.length)
  for (const [i, { index }] of started.entries()) sequences[index] = i + 1
  const ends = endsOf(journal, sequences)
  return started.map(({ open, index }, i): Interaction => {
    try {
      return interactionOf(open, ends.get(open.id), i + 1)
    } catch (cause) {
      const entry = { entry: index + 1 }
      throw new CassetteError('incomplete-entry', path, 'the exchange lacks a part.', entry, { cause })
    }
  })
}

function endsOf(journal: ReadJournal, sequences: readonly number[]): Map<number, Known> {
  const ends = new Map<number, Known>()
  let order = 0
  let counted = 0
  let highest = 0
  for (const { end, opened } of journal.ended) {
    for (; counted < opened; counted++) highest = Math.max(highest, sequences[counted] ?? 0)
    ends.set(end.id, { end, order: 'reply' in end ? ++order : 0, startedBeforeEnd: highest })
  }
  return ends
}

function interactionOf(open: OpenLine, known: Known | undefined, sequence: number): Interaction {
  const done = known && 'reply' in known.end ? known.end : undefined
  const answer = done && plainReply(replyOf(done.reply))
  const noReply = answer?.kind === 'broken' ? answer.why : known && !done ? noReplyOf(known.end) : undefined
  return {
    sequence,
    ended: done && known?.order,
    ...(done && known && { startedBeforeEnd: known.startedBeforeEnd }),
    startedAt: open.startedAt,
    durationMs: known?.end.durationMs ?? 0,
    lane: open.lane,
    operation: open.operation,
    origin: known?.end.origin ?? 'upstream',
    request: requestOf(open.request, list(done?.asked ?? [], shape.headerLines)),
    reply: answer?.kind === 'whole' ? answer.reply : undefined,
    ...(noReply && { noReply }),
    bindings: joined([...list(open.bindings, shape.bindings), ...list(done?.bindings ?? [], shape.bindings)]),
    redactions: [
      ...list(open.redactions, shape.redactions),
      ...list(done?.redactions ?? [], shape.redactions),
    ],
    ...(typeof open.began === 'number' && { began: open.began }),
    ...(done?.refusedPair !== undefined && { refusedPair: pairOf(done.refusedPair) }),
  }
}

function noReplyOf(end: DoneLine | AbortedLine): NoReply | undefined {
  return 'noReply' in end ? shape.noReply(end.noReply) : undefined
}

function requestOf(
  { method, target, http, headers, body }: OpenLine['request'],
  asked: readonly HeaderLine[],
): CapturedRequest {
  if (typeof method !== 'string' || typeof target !== 'string') throw new TypeError('request')
  return {
    method,
    target,
    httpVersion: http,
    headers: [...list(headers, shape.headerLines), ...asked],
    body: readStored(body),
  }
}

function replyOf({ status, headers, body }: DoneLine['reply']): CapturedReply {
  if (typeof status !== 'number') throw new TypeError('status')
  return { status, headers: list(headers, shape.headerLines), body: readStored(body) }
}

function pairOf(value: unknown): PairDigest {
  const found = shape.pairDigest(value)
  if (found === undefined) throw new TypeError('refusedPair')
  return found
}

function list<T>(value: unknown, read: (value: unknown) => readonly T[] | undefined): readonly T[] {
  const found = read(value)
  if (found === undefined) throw new TypeError('list')
  return found
}
