import { isDeepStrictEqual } from 'node:util'
import type { OutcomeRule } from '../../config/outcomes.ts'
import { decidingOf } from '../bindings/deciding.ts'
import { CassetteError } from '../cassette-error.ts'
import { CASSETTE_VERSION, type Cassette, type Interaction } from '../interaction.ts'
import { CONTRACT_FIELDS } from '../redaction/contract.ts'
import { createFieldLookup } from '../redaction/stand-ins/field-rules.ts'
import { createStandIns } from '../redaction/stand-ins/stand-ins.ts'
import { appended } from './append.ts'
import { standInsOf } from './known-stand-ins.ts'
import { knownByDigest, redactedValues, renameInteraction } from './rename.ts'

/**
 * One cassette from several, in the order they are given: as if they had been recorded one after the other. Two
 * recordings number their stand-ins alike, so those of the later ones are given out anew: two people stay two. Where
 * a keyed digest says that they are one person, they become one.
 *
 * @throws CassetteError when they do not go together.
 */
export function mergeCassettes(cassettes: readonly Cassette[]): Cassette {
  const [first, ...rest] = cassettes
  if (first === undefined) throw new CassetteError('empty', 'merge', 'there is nothing to merge.')
  const deciding = decidingOf(first)
  const { rules } = deciding
  let merged = first
  for (const next of rest) {
    if (next.redaction !== first.redaction) {
      throw unlike(
        next,
        `was redacted by ${next.redaction}, the first one by ${first.redaction}; record one of them again.`,
      )
    }
    if (!isDeepStrictEqual(decidingOf(next), deciding))
      throw unlike(
        next,
        'was decided by other outcome rules than the first one; replay the two beside each other.',
      )
    if (merged.keyCheck !== undefined && next.keyCheck !== undefined && merged.keyCheck !== next.keyCheck)
      throw unlike(next, 'was recorded with another SANDGATE_CASSETTE_KEY than the first one.')
    const { keyCheck = next.keyCheck } = merged
    merged = {
      ...appended(merged, renamed(next, merged, rules)),
      ...(keyCheck !== undefined && { keyCheck }),
    }
  }
  const volatile = [...new Set(cassettes.flatMap((cassette) => cassette.volatile))]
  const { file: _, ...one } = merged
  return {
    ...one,
    version: CASSETTE_VERSION,
    outcomes: first.outcomes ?? { from: 'built-in', ...deciding },
    volatile,
    profile: cassettes.some(({ profile }) => profile === 'strict') ? 'strict' : 'contract',
  }
}

function unlike({ file = 'merge' }: Cassette, detail: string): CassetteError {
  return new CassetteError('incomplete-recording', file, detail)
}

function renamed(next: Cassette, before: Cassette, rules: readonly OutcomeRule[]): Interaction[] {
  const known = knownByDigest(before)
  const standIns = createStandIns({
    fields: createFieldLookup(CONTRACT_FIELDS),
    rules,
    testValues: [],
    taken: standInsOf([before, next]),
  })
  const names = new Map<string, string>()
  for (const { redaction, standIn } of redactedValues(next)) {
    if (names.has(standIn)) continue
    const same = known(redaction)
    if (same) names.set(standIn, same)
    else if (redaction.kind === 'personal')
      names.set(standIn, standIns.personal(redaction.rule, standIn).text)
  }
  for (const standIn of standInsOf([next]))
    if (/^redacted-.*-[0-9]+$/.test(standIn) && !names.has(standIn))
      names.set(standIn, standIns.secret(standIn.slice('redacted-'.length).replace(/-[0-9]+$/, ''), standIn))
  const began = (interaction: Interaction): Interaction => {
    const at = interaction.began ?? next.t0
    return at === before.t0 ? interaction : { ...interaction, began: at }
  }
  return next.interactions.map((interaction) => began(renameInteraction(interaction, names)))
}
