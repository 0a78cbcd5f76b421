import { statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { startProgramThread } from '../program-thread.ts'
import { type LoadOptions, type LoadResult, loadConfig } from './load.ts'
import type { FromThread } from './load-messages.ts'
import type { Partner } from './partners.ts'
import type { Config } from './schema.ts'

/** Files up to this size are read where everything else runs; it takes less than starting a thread. */
const SMALL_BYTES = 32_768

/**
 * Loads a configuration again while the gateway runs. A large one is read and checked in a thread, and its partners
 * come over in pieces, so that nobody waits for those of others. A partner that has not changed is the same object as
 * before.
 */
export function createReloader(
  options: LoadOptions,
  initial: LoadResult,
): (running: Config) => LoadResult | Promise<LoadResult> {
  let { files } = initial
  const remember = (result: LoadResult): LoadResult => {
    files = result.files
    return result
  }
  return (running) => {
    if (bytesOf(files) <= SMALL_BYTES) return remember(loadConfig(options))
    return loadInThread(options, running.partners).then(remember)
  }
}

function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
}

function loadInThread(options: LoadOptions, running: readonly Partner[]): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const known = new Map(running.map((partner) => [partner.id, partner]))
    const partners: Partner[] = []
    let result: LoadResult | undefined
    const thread = startProgramThread('config/load-thread.js', { workerData: options })
    // A gateway that stops does not wait for it.
    thread.unref()
    thread.on('error', reject)
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'result') result = message.result
      if (message.kind === 'partners')
        for (const partner of message.partners) partners.push(unchanged(known.get(partner.id), partner))
      if (message.kind !== 'end' && result?.ok) thread.postMessage('next')
      else if (result) {
        resolve(result.ok ? { ...result, config: { ...result.config, partners } } : result)
        void thread.terminate()
      }
    })
  })
}

function unchanged(before: Partner | undefined, now: Partner): Partner {
  return before !== undefined && isDeepStrictEqual(before, now) ? before : now
}
