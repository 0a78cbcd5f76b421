import { CassetteError } from '../cassette-error.ts'
import { CASSETTE_VERSION, type Cassette } from '../interaction.ts'
import type { MatchProfile } from '../match-profile.ts'
import { isRecord } from './checked.ts'

/** The first line of a journal, and what stands about the whole in a HAR. */
export type CassetteHeader = Omit<Cassette, 'interactions' | 'file'>

export function isProfile(value: unknown): value is MatchProfile {
  return value === 'contract' || value === 'strict'
}

/** What is said about the whole, checked; a newer format is refused before anything else is looked at. */
export function readHeader(value: unknown, path: string): CassetteHeader {
  if (!isRecord(value))
    throw new CassetteError('undecodable', path, 'the description of the cassette is not an object.')
  const { version, product, t0, origin, profile, volatile, redaction, outcomes, keyCheck } = value
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new CassetteError('undecodable', path, 'the cassette has no format version.')
  if (version > CASSETTE_VERSION) {
    throw new CassetteError(
      'newer',
      path,
      `has format ${version}, and this version of Sandgate reads up to ${CASSETTE_VERSION}: update Sandgate.`,
    )
  }
  if (
    typeof product !== 'string' ||
    typeof t0 !== 'number' ||
    typeof origin !== 'string' ||
    !isProfile(profile) ||
    !Array.isArray(volatile) ||
    !volatile.every((name) => typeof name === 'string') ||
    typeof redaction !== 'string' ||
    (version > 1 && !isOutcomes(outcomes)) ||
    (keyCheck !== undefined && typeof keyCheck !== 'string')
  )
    throw new CassetteError('undecodable', path, 'the description of the cassette lacks a part.')
  return {
    version,
    product,
    t0,
    origin,
    profile,
    volatile,
    redaction,
    ...(version > 1 && isOutcomes(outcomes) && { outcomes }),
    ...(keyCheck !== undefined && { keyCheck }),
  }
}

const SOURCES: readonly unknown[] = ['sandbox', 'configuration', 'built-in']

/** Whether it has the parts; whether the rules are good ones is judged where they are to decide (bindings/deciding.ts). */
function isOutcomes(value: unknown): value is NonNullable<CassetteHeader['outcomes']> {
  return (
    isRecord(value) && SOURCES.includes(value.from) && Array.isArray(value.rules) && isRecord(value.scores)
  )
}
