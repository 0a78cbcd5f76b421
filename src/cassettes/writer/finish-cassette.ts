import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from '../../replace-file.ts'
import { annotate } from '../bindings/annotate.ts'
import { CassetteError } from '../cassette-error.ts'
import { type CassettePaths, setAside } from '../file/paths.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import type { Secrets } from '../redaction/secrets/secrets.ts'
import { type ContinueOptions, continueCassette } from './continue-cassette.ts'
import type { RecorderSettings } from './messages.ts'
import type { CleanText } from './scrub.ts'
import { writeScrubbed } from './write-scrubbed.ts'

/** A recording without a single reply cannot be replayed: it does not take the place of the cassette that is there. */
export function refuseUnanswered({ interactions }: Cassette, { har, journal }: CassettePaths): void {
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
export function completed(
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
export function writeFinished(
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
