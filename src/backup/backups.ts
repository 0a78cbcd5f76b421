import { createWorkQueue } from '../work-queue.ts'
import { type Backup, type BackupSource, backUp } from './backup.ts'
import type { Outcome } from './outcome.ts'

/** The backups of a running gateway, one after the other. */
export type Backups = {
  readonly run: (directory: string) => Promise<Outcome<Backup>>
  /** Resolves when none is being written: the store must not be closed before. */
  readonly ended: () => Promise<unknown>
}

export function createBackups(source: BackupSource): Backups {
  const queue = createWorkQueue()
  return {
    run: (directory) => queue.run(() => backUp(directory, source)),
    ended: queue.idle,
  }
}
