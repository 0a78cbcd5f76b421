import type { MissReport } from '../cassettes/miss/report.ts'
import type { Tape } from '../cassettes/tape/tape.ts'
import { type CleanText, scrubbed } from '../cassettes/writer/scrub.ts'

/**
 * A tape whose reports of misses hold no secret that its requests have shown: the name of a lane, a path and a value that
 * nothing calls a secret may repeat what another field of the request is called one for.
 */
export function withCleanMisses(tape: Tape, clean: CleanText): Tape {
  const misses: MissReport[] = []
  return {
    ...tape,
    match: (...asked) => {
      const match = tape.match(...asked)
      if (match.kind !== 'miss') return match
      const report = scrubbed(match.report, clean)
      misses.push(report)
      return { kind: 'miss', report }
    },
    misses: () => misses,
  }
}
