import { type Stats, unwatchFile, watchFile } from 'node:fs'
import { type Clock, systemClock } from '../clock.ts'
import type { ConfigError } from './errors.ts'
import type { LoadResult } from './load.ts'
import { reloaded } from './reload.ts'
import type { Config } from './schema.ts'
import { fileDigest } from './yaml-file.ts'

export type ReloadStatus =
  | {
      readonly ok: true
      /** When the running configuration was read. */
      readonly since: number
      /** What the files say but only counts at the next start. */
      readonly needsRestart: readonly string[]
    }
  | {
      readonly ok: false
      /** Since when the files have been wrong; the configuration before that goes on. */
      readonly since: number
      readonly errors: readonly ConfigError[]
      /** Of the last files without mistakes. */
      readonly needsRestart: readonly string[]
    }

export type LiveConfig = {
  readonly current: () => Config
  readonly status: () => ReloadStatus
  /** How long the last reload took, in milliseconds; undefined before the first. */
  readonly reloadMs: () => number | undefined
  /** The files that it was last read from. */
  readonly files: () => readonly string[]
  /** Reads them now; resolves when what they say is in use, or when their mistakes are known. */
  readonly reload: () => Promise<ReloadStatus>
  /** Ends the watching; `current` stays as it is. */
  readonly stop: () => void
}

export type LiveOptions = {
  /** Reads everything again, the way it was read at the start (the same flags and variables). */
  readonly load: (running: Config) => LoadResult | Promise<LoadResult>
  readonly initial: Extract<LoadResult, { ok: true }>
  /** After a reload that took effect; `current()` is already the new configuration. */
  readonly onReload: (config: Config, needsRestart: readonly string[]) => void | Promise<void>
  readonly onError: (errors: readonly ConfigError[]) => void
  readonly clock?: Clock
}

/** Files are looked at this often: polling sees what a rename, a replaced file or a swapped symlink does. */
const POLL_MS = 250

/** Several files that are saved together, or a file that is emptied and then written, are one change. */
const SETTLE_MS = 100

/**
 * Keeps the configuration up to date: on SIGHUP and when one of its files changes. A mistake changes nothing; it is
 * reported, shows in `status()`, and is over with the next good version.
 */
export function createLiveConfig(options: LiveOptions): LiveConfig {
  const { load, initial, onReload, onError, clock = systemClock } = options
  let config = initial.config
  let latest: LoadResult = initial
  let status: ReloadStatus = { ok: true, since: clock.now(), needsRestart: [] }
  let pending: NodeJS.Timeout | undefined
  let verifying: NodeJS.Timeout | undefined
  let isLoading = false
  let loading: Promise<void> = Promise.resolve()
  /** Something has changed since the reload that is under way began. */
  let isDue = false
  let isStopped = false
  let reloadMs: number | undefined
  const watched = new Set<string>()

  // One reload at a time; what changes meanwhile is read by the one after it.
  const schedule = () => {
    pending ??= setTimeout(() => {
      pending = undefined
      if (isLoading) isDue = true
      else void start()
    }, SETTLE_MS).unref()
  }

  const start = (): Promise<void> => {
    loading = reload()
    return loading
  }

  async function reload(): Promise<void> {
    isLoading = true
    const startedAt = performance.now()
    try {
      const result = await load(config)
      if (!isStopped) await apply(result)
    } catch (error) {
      // The reading itself has failed, out of memory for one: nothing is known of the files.
      fail([{ file: '', line: null, column: null, path: '', message: `could not be read: ${error}` }])
    } finally {
      reloadMs = performance.now() - startedAt
      isLoading = false
      if (isDue) schedule()
      isDue = false
    }
  }

  // A file that changes after it is read and before its first poll would go unnoticed.
  const verify = () => {
    verifying = undefined
    if (latest.files.some((file, i) => fileDigest(file) !== latest.digests[i])) schedule()
  }

  const onChange = (now: Stats, before: Stats) => {
    // A missing file is announced once, with nothing changed.
    if (now.mtimeMs !== 0 || before.mtimeMs !== 0) schedule()
  }

  async function apply(result: LoadResult): Promise<void> {
    latest = result
    watch(result.files)
    if (!result.ok) return fail(result.errors)
    const next = reloaded(config, result.config)
    config = next.config
    status = { ok: true, since: clock.now(), needsRestart: next.needsRestart }
    await onReload(config, next.needsRestart)
  }

  function fail(errors: readonly ConfigError[]): void {
    const { needsRestart } = status
    status = { ok: false, since: status.ok ? clock.now() : status.since, errors, needsRestart }
    onError(errors)
  }

  /** Files are only added: after a mistake the list may lack one that will matter again. */
  function watch(files: readonly string[]): void {
    const added = files.filter((file) => !watched.has(file))
    for (const file of added) {
      watched.add(file)
      watchFile(file, { interval: POLL_MS, persistent: false }, onChange)
    }
    if (added.length > 0) verifying ??= setTimeout(verify, POLL_MS).unref()
  }

  watch(initial.files)
  process.on('SIGHUP', schedule)
  return {
    current: () => config,
    status: () => status,
    reloadMs: () => reloadMs,
    files: () => latest.files,
    reload: async () => {
      // One that is under way may have read the files before they were changed.
      while (isLoading) await loading
      await start()
      return status
    },
    stop: () => {
      isStopped = true
      process.off('SIGHUP', schedule)
      for (const file of watched) unwatchFile(file, onChange)
      clearTimeout(pending)
      clearTimeout(verifying)
    },
  }
}
