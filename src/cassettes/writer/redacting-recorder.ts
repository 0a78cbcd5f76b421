import { existsSync, rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { CassetteError, unwritable } from '../cassette-error.ts'
import { openJournal } from '../file/journal/append.ts'
import { readJournal } from '../file/journal/read.ts'
import { loadCassette } from '../file/load.ts'
import { type CassettePaths, cassettePaths, setAside } from '../file/paths.ts'
import { readFile } from '../file/read-file.ts'
import type { Cassette } from '../interaction.ts'
import { standInsOf } from '../merging/known-stand-ins.ts'
import { withoutReply } from '../no-reply.ts'
import { keyCheckOf, refuseOtherKey } from '../redaction/cassette-key.ts'
import { createPairBook } from '../redaction/pair-book.ts'
import { policyOf, type RedactionPolicy } from '../redaction/policy.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { freshSalt } from '../redaction/refused-pairs.ts'
import { createSecrets } from '../redaction/secrets/secrets.ts'
import { createFieldLookup } from '../redaction/stand-ins/field-rules.ts'
import type { Continuation } from '../tape/continuation.ts'
import { type Desk, eventsOf } from './events.ts'
import { completed, refuseUnanswered, writeFinished } from './finish-cassette.ts'
import type { Finished, Item, RecorderSettings } from './messages.ts'
import { scrubbed } from './scrub.ts'
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
      if (recorded.interactions.length === 0 && settings.existing === 'replace' && existsSync(paths.har)) {
        // Nothing has passed: what is there is worth more.
        rmSync(paths.journal)
        return { path: paths.har, interactions: 0, kept: 0 }
      }
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
      writeFinished(all, { ...paths, har: path }, secrets, redactor.redactText)
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

/** The message of a fault of the disk, for the status. */
export function describeFault(cause: unknown, path: string): CassetteError {
  return cause instanceof CassetteError ? cause : unwritable(path, cause, 'the recording failed')
}
