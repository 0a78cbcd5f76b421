import { createHmac } from 'node:crypto'
import { CassetteError } from '../cassette-error.ts'
import type { Cassette } from '../interaction.ts'

/** Shows whether another key is the same one, and nothing else about it. */
export function keyCheckOf(cassetteKey: string): string {
  return createHmac('sha256', cassetteKey).update('sandgate cassette key').digest('base64url')
}

/**
 * With another key than the one it was recorded with, no value of a cassette would be found again.
 *
 * @throws CassetteError
 */
export function refuseOtherKey(
  { keyCheck, file = 'cassette' }: Pick<Cassette, 'keyCheck' | 'file'>,
  cassetteKey: string | undefined,
): void {
  if (keyCheck === undefined || cassetteKey === undefined || keyCheckOf(cassetteKey) === keyCheck) return
  throw new CassetteError(
    'other-key',
    file,
    'was recorded with another SANDGATE_CASSETTE_KEY; set that one, or none.',
  )
}
