import type { Clock } from '../clock.ts'
import type { Logger } from '../observe/logger.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 5000
/** Batches of a round: what one round cannot delete waits for the next, so that requests are not held up. */
const BATCHES = 20

/** Deletes what has expired, a few bounded batches every five seconds. Expired records are absent before that. */
export function startSweeping(store: Store, clock: Clock, logger: Logger): { stop: () => Promise<void> } {
  let round: Promise<void> = Promise.resolve()
  let stopped = false
  const sweep = async (): Promise<void> => {
    for (let i = 0; i < BATCHES && !stopped; i++) {
      if ((await store.sweep(clock.now())) === 0) return
    }
  }
  const timer = setInterval(() => {
    round = round.then(sweep).catch((error: unknown) => {
      // A store that cannot write says so elsewhere; the next round tries again.
      logger.warn({ err: error }, 'sweep failed')
    })
  }, EVERY_MS)
  timer.unref()
  return {
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await round
    },
  }
}
