import { CassetteError } from '../cassette-error.ts'
import { CASSETTE_VERSION, type Cassette, type MatchProfile } from '../interaction.ts'
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
  const { version, product, t0, origin, profile, volatile, redaction } = value
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
    typeof redaction !== 'string'
  )
    throw new CassetteError('undecodable', path, 'the description of the cassette lacks a part.')
  return { version, product, t0, origin, profile, volatile, redaction }
}
