import { CassetteError } from '../cassette-error.ts'
import { writeHar } from '../file/har/write.ts'
import type { Cassette } from '../interaction.ts'
import type { Secrets } from '../redaction/secrets/secrets.ts'
import { type CleanText, scrubbed } from './scrub.ts'

/** What was shown before it was known to be a secret is taken out when it is found. @throws CassetteError */
export function writeScrubbed(path: string, cassette: Cassette, secrets: Secrets, clean: CleanText): void {
  try {
    writeHar(path, cassette, secrets)
  } catch (cause) {
    if (!(cause instanceof CassetteError) || cause.reason !== 'secret-found') throw cause
    writeHar(path, { ...cassette, interactions: scrubbed(cassette.interactions, clean) }, secrets)
  }
}
