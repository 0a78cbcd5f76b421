import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { syncDirectory } from '../../replace-file.ts'
import { annotate } from '../bindings/annotate.ts'
import { CassetteError, unwritable } from '../cassette-error.ts'
import { writeHar } from '../file/har/write.ts'
import { openJournal } from '../file/journal/append.ts'
import type { JournalEvent } from '../file/journal/lines.ts'
import { readJournal } from '../file/journal/read.ts'
import { loadCassette } from '../file/load.ts'
import { type CassettePaths, cassettePaths, setAside } from '../file/paths.ts'
import { readFile } from '../file/read-file.ts'
import type { CapturedRequest, Cassette, Interaction } from '../interaction.ts'
import { standInsOf } from '../merging/known-stand-ins.ts'
import { plainReply } from '../message/encoding.ts'
import { withoutReply } from '../no-reply.ts'
import { keyCheckOf, refuseOtherKey } from '../redaction/cassette-key.ts'
import { createPairBook, type PairBook } from '../redaction/pair-book.ts'
import { policyOf, type RedactionPolicy } from '../redaction/policy.ts'
import { createRedactor, type Redactor } from '../redaction/redactor.ts'
import { freshSalt } from '../redaction/refused-pairs.ts'
import type { RedactedRequest } from '../redaction/request.ts'
import { createSecrets, type Secrets } from '../redaction/secrets/secrets.ts'
import { createFieldLookup } from '../redaction/stand-ins/field-rules.ts'
import type { Continuation } from '../tape/continuation.ts'
import { type ContinueOptions, continueCassette } from './continue-cassette.ts'
import { doneEvent, openEvent } from './events.ts'
import type { BodySlice, Finished, Item, OpenItem, RecorderSettings } from './messages.ts'
import { type CleanText, scrubbed } from './scrub.ts'
import { createSeenWords } from './seen-words.ts'

export type RedactingRecorder = {
  readonly nextId: number
  /** Redacts and writes; when it returns, all of it is on the disk. */
  readonly take: (items: readonly Item[], bytes: Uint8Array) => void
  /** The recording lacks something from now on, and is never finished. */
  readonly markBad: () => void
  /** @throws CassetteError; the finished cassette that was there before then stands. */
  readonly finish: (continuations: readonly Continuation[], isPartial?: boolean) => Finished
  /** Where the journal of another recording stands that was in the way. */
  readonly setAside: string | undefined
  readonly close: () => void
}

/** What the reply needs to know of its request, whose headers are not redacted here: in memory alone. */
type Opened = Pick<RedactedRequest, 'words'> &
  Pick<CapturedRequest, 'headers'> & {
    /** The request of a token exchange as it came, in memory until its end. */
    readonly exchange: CapturedRequest | undefined
  }

/** The recorder itself, as it runs in its thread. The caller holds the lock. */
export function createRedactingRecorder(settings: RecorderSettings): RedactingRecorder {
  const paths = cassettePaths(settings.path)
  const { outcomes } = settings.header
  const policy = policyOf(createFieldLookup(settings.fields), settings)
  const aside = existsSync(paths.journal) ? handleLeftover(paths.journal, settings) : undefined
  const kept = keptCassette(paths, policy, settings.existing)
  const resumed = existsSync(paths.journal) ? loadCassette(paths.journal) : undefined
  const secrets = createSecrets(settings.fields.words)
  for (const secret of settings.secrets) secrets.learn(secret)
  for (const old of [kept, resumed]) if (old) refuseOtherKey(old, settings.cassetteKey)
  if (resumed) refuseOtherRules(resumed, settings)
  const redactor = createRedactor({
    policy,
    secrets,
    rules: outcomes.rules,
    configuredTestValues: Object.keys(outcomes.scores),
    ...(settings.cassetteKey && { cassetteKey: settings.cassetteKey }),
    taken: standInsOf([kept, resumed].filter((cassette) => cassette !== undefined)),
  })
  const { cassetteKey } = settings
  const keyCheck = cassetteKey ? keyCheckOf(cassetteKey) : undefined
  const header = { ...settings.header, redaction: policy.name, ...(keyCheck && { keyCheck }) }
  const journal = openJournal(paths.journal, header, settings.replaces)
  const book = createPairBook({
    operation: settings.tokenOperation,
    salt: settings.salt ?? freshSalt(),
    cassetteKey,
    before: [...(kept?.interactions ?? []), ...(resumed?.interactions ?? [])],
  })
  const desk: Desk = {
    redactor,
    secrets,
    book,
    tokenOperation: settings.tokenOperation,
    began: resumed || kept ? header.t0 : undefined,
    opened: new Map(),
  }
  const seen = createSeenWords()
  // What is known from the start is looked for in each exchange; a journal that was left may be older than that.
  if (resumed) seen.add(readFile(paths.journal).toString('latin1'))
  else secrets.takeNew()
  let isBad = false
  let isOpen = true

  const close = () => {
    if (isOpen) journal.close()
    isOpen = false
  }

  return {
    nextId: journal.nextId,
    setAside: aside,
    close,
    take: (items, bytes) => {
      if (isBad) return
      let events = items.flatMap((item) => eventsOf(item, bytes, desk))
      const known = secrets.takeNew()
      if (known.length > 0) {
        // What is known to be a secret from now on may have been shown before, as something else.
        events = scrubbed(events, redactor.redactText)
        if (known.some(seen.mayHold)) journal.rewrite((event) => scrubbed(event, redactor.redactText))
      }
      if (events.length > 0) seen.add(journal.append(events))
    },
    markBad: () => {
      if (isBad) return
      isBad = true
      // A full disk has room for another name, and under this one nobody resumes a recording that lacks something.
      setAside(paths.journal, 'incomplete')
    },
    finish: (continuations, isPartial = false) => {
      close()
      if (isBad) {
        const detail = 'not all that passed was recorded; nothing was written.'
        throw new CassetteError('incomplete-recording', paths.har, detail)
      }
      const recorded = loadCassette(paths.journal)
      refuseUnanswered(recorded, paths)
      const run = { continuations, original: redactor.original }
      const annotated = completed(settings, kept, recorded, run)
      const all = { ...annotated, interactions: book.settled(annotated.interactions) }
      const { recovered } = journal
      const counts = { interactions: all.interactions.length, kept: kept?.interactions.length ?? 0 }
      const without = withoutReply(all.interactions.slice(counts.kept))
      const isLacking = settings.onlyWhole === true && without.some(({ isFault }) => isFault)
      // A run that failed, or lacks something, does not take the place of one that went well.
      const path = (isPartial || isLacking) && existsSync(paths.har) ? paths.partial : paths.har
      write(all, { ...paths, har: path }, secrets, redactor.redactText)
      return {
        path,
        ...counts,
        ...(recovered && { recovered }),
        ...(without.length > 0 && { withoutReply: without }),
      }
    },
  }
}

/** The finished cassette that is added to. @throws CassetteError when the two would be redacted differently. */
function keptCassette(
  { har }: CassettePaths,
  policy: RedactionPolicy,
  existing: RecorderSettings['existing'],
): Cassette | undefined {
  if (existing !== 'append' || !existsSync(har)) return undefined
  const kept = loadCassette(har)
  if (kept.redaction === policy.name) return kept
  const detail = `was redacted by ${kept.redaction}, this recording by ${policy.name}; record it anew.`
  throw new CassetteError('incomplete-recording', har, detail)
}

/** A recording without a single reply cannot be replayed: it does not take the place of the cassette that is there. */
function refuseUnanswered({ interactions }: Cassette, { har, journal }: CassettePaths): void {
  if (interactions.length === 0 || interactions.some(isAnswered)) return
  rmSync(journal)
  throw new CassetteError('unanswered', har, 'no exchange had a reply of the upstream; nothing was written.')
}

/** Also by what cannot be read here: that is named, and the exchange is kept. */
function isAnswered({ reply, noReply }: Interaction): boolean {
  return (
    reply !== undefined ||
    noReply === 'undecodable' ||
    noReply === 'unreadable-coding' ||
    noReply === 'beyond-bound'
  )
}

/** With everything that says where values come from, and after the cassette that it is added to. */
function completed(
  { header }: RecorderSettings,
  kept: Cassette | undefined,
  recorded: Cassette,
  run: Pick<ContinueOptions, 'continuations' | 'original'>,
): Cassette {
  const { volatile } = kept ?? recorded
  const { rules, scores } = header.outcomes
  const options = { rules, testValues: Object.keys(scores), volatile }
  const annotated = (interactions: readonly Interaction[]) => annotate(interactions, options)
  const all = kept
    ? continueCassette(kept, recorded.interactions, { ...run, annotate: annotated })
    : { ...recorded, interactions: annotated(recorded.interactions) }
  // What an older version has begun says by now what decided in it, and by which key its values are compared.
  const { outcomes, keyCheck = recorded.keyCheck } = all
  return {
    ...all,
    version: header.version,
    outcomes: outcomes ?? header.outcomes,
    ...(keyCheck !== undefined && { keyCheck }),
  }
}

/** Over the old one, when all of it is on the disk and no secret was found in it. */
function write(
  cassette: Cassette,
  { har, journal }: CassettePaths,
  secrets: Secrets,
  clean: CleanText,
): void {
  try {
    writeScrubbed(har, cassette, secrets, clean)
  } catch (cause) {
    if (!(cause instanceof CassetteError) || cause.reason !== 'secret-found') throw cause
    const aside = setAside(journal, 'quarantine')
    const where = aside === undefined ? '' : ` The recording was set aside as ${aside}.`
    throw new CassetteError('secret-found', har, cause.detail + where, cause.place, { cause })
  }
  rmSync(journal, { force: true })
  syncDirectory(dirname(har))
}

/** What was shown before it was known to be a secret is taken out when it is found. @throws CassetteError */
function writeScrubbed(har: string, cassette: Cassette, secrets: Secrets, clean: CleanText): void {
  try {
    writeHar(har, cassette, secrets)
  } catch (cause) {
    if (!(cause instanceof CassetteError) || cause.reason !== 'secret-found') throw cause
    writeHar(har, { ...cassette, interactions: scrubbed(cassette.interactions, clean) }, secrets)
  }
}

/** Returns where it was set aside. @throws CassetteError `unfinished` */
function handleLeftover(
  journal: string,
  { leftover, replaces = false }: Pick<RecorderSettings, 'leftover' | 'replaces'>,
): string | undefined {
  const bytes = readFile(journal)
  // Without a whole first line nothing was acknowledged: the recorder ended while it made the file.
  if (leftover === 'discard' || !bytes.includes('\n')) rmSync(journal)
  else if (leftover === 'refuse')
    throw new CassetteError(
      'unfinished',
      journal,
      'is a recording that was not finished: finish it or remove it.',
    )
  else if (!replaces && readJournal(bytes, journal).replaces) return setAside(journal, 'replaced')
  return undefined
}

/** What is at hand while exchanges come in. */
type Desk = {
  readonly redactor: Redactor
  readonly secrets: Secrets
  readonly book: PairBook
  readonly tokenOperation: string
  /** Of a recording that goes on with another one. */
  readonly began: number | undefined
  readonly opened: Map<number, Opened>
}

function eventsOf(item: Item, bytes: Uint8Array, desk: Desk): JournalEvent[] {
  const { redactor, secrets, book, opened } = desk
  if ('learn' in item) {
    secrets.learn(item.learn)
    return []
  }
  if ('open' in item) {
    const { id, operation } = item.open
    const request = requestOf(item.open, bytes)
    const redacted = redactor.redactRequest(request)
    // The bytes of a batch are gone with it.
    const exchange =
      operation === desk.tokenOperation ? { ...request, body: Uint8Array.from(request.body) } : undefined
    opened.set(id, { words: redacted.words, headers: item.open.headers, exchange })
    const lane = redactor.redactText(item.open.lane, redacted.words)
    return [openEvent(id, { ...item.open, lane }, redacted, desk.began)]
  }
  const { id, reply } = item.end
  const { words, headers = [], exchange } = opened.get(id) ?? {}
  opened.delete(id)
  const whole = reply && plainReply({ ...reply, body: sliceOf(bytes, reply.body) })
  const redacted = whole?.kind === 'whole' ? redactor.redactReply(whole.reply, words) : undefined
  const noReply =
    whole?.kind === 'broken' ? whole.why : whole && !redacted ? 'beyond-bound' : item.end.noReply
  const chosen = whole?.kind === 'whole' ? redactor.redactChoosing(headers, whole.reply, words) : undefined
  const refusedPair = exchange && whole?.kind === 'whole' ? book.ended(exchange, whole.reply) : undefined
  return [doneEvent(id, { ...item.end, ...(noReply && { noReply }) }, redacted, chosen, refusedPair)]
}

/** One cassette has one set of rules: what the rest was decided by is another recording. */
function refuseOtherRules(resumed: Cassette, { header: { outcomes } }: RecorderSettings): void {
  const { rules, scores } = resumed.outcomes ?? { rules: undefined, scores: undefined }
  if (rules === undefined || isDeepStrictEqual([rules, scores], [outcomes.rules, outcomes.scores])) return
  throw new CassetteError(
    'unfinished',
    resumed.file ?? '',
    'is a recording that was not finished, made under other outcome rules: finish it or remove it.',
  )
}

function requestOf(
  { method, target, httpVersion, headers, body }: OpenItem,
  bytes: Uint8Array,
): CapturedRequest {
  return { method, target, httpVersion, headers, body: sliceOf(bytes, body) }
}

function sliceOf(bytes: Uint8Array, [offset, length]: BodySlice): Uint8Array {
  return bytes.subarray(offset, offset + length)
}

/** The message of a fault of the disk, for the status. */
export function describeFault(cause: unknown, path: string): CassetteError {
  return cause instanceof CassetteError ? cause : unwritable(path, cause, 'the recording failed')
}
