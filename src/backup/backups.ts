import { type Backup, type BackupSource, backUp } from './backup.ts'
import type { Outcome } from './outcome.ts'

/** The backups of a running gateway, one after the other. */
export type Backups = {
  readonly run: (directory: string) => Promise<Outcome<Backup>>
  /** Resolves when none is being written: the store must not be closed before. */
  readonly ended: () => Promise<unknown>
}

export function createBackups(source: BackupSource): Backups {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(directory) {
      const done = last.then(() => backUp(directory, source))
      last = done
      return done
    },
    ended: () => last,
  }
}
