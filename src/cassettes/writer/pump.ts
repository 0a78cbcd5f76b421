import type { ToRecorder } from './messages.ts'
import { createQueue, type Queue } from './queue.ts'

/** One batch is being written while the next is on its way; the rest waits in the queue, where it is counted. */
const MAX_IN_FLIGHT = 2

/** Moves what waits in the queue to the recorder, batch by batch, as fast as the recorder takes it. */
export type Pump = {
  /** Puts something into the queue, and sends it soon. False when the queue has no room for it. */
  readonly offer: (put: (queue: Queue) => boolean) => boolean
  /** The recorder has dealt with a batch. */
  readonly written: (batch: number) => void
  /** Sends nothing more, and forgets what waits. */
  readonly drop: () => void
  /** Resolves when all that was offered is written, or dropped. */
  readonly idle: () => Promise<void>
  /** `written`: exchanges whose end is on the disk. */
  readonly counts: () => { readonly written: number; readonly queuedBytes: number }
}

export function createPump(
  maxBytes: number,
  send: (message: ToRecorder, transfer: ArrayBuffer[]) => void,
): Pump {
  const queue = createQueue(maxBytes)
  /** Batch -> how many exchanges end in it. */
  const ends = new Map<number, number>()
  let written = 0
  let isDropped = false
  let isScheduled = false
  let waiting: (() => void)[] = []

  const pump = () => {
    isScheduled = false
    while (!isDropped && queue.inFlight() < MAX_IN_FLIGHT) {
      const batch = queue.next()
      if (batch === undefined) return
      ends.set(batch.number, batch.items.filter((item) => 'end' in item).length)
      send(batch, [batch.bytes.buffer as ArrayBuffer])
    }
  }
  const resolveIdle = () => {
    if (!isDropped && (queue.waiting() > 0 || queue.inFlight() > 0)) return
    for (const resolve of waiting) resolve()
    waiting = []
  }

  return {
    offer: (put) => {
      if (!put(queue)) return false
      if (!isScheduled) {
        isScheduled = true
        setImmediate(pump)
      }
      return true
    },
    written: (batch) => {
      queue.release(batch)
      if (!isDropped) written += ends.get(batch) ?? 0
      ends.delete(batch)
      pump()
      resolveIdle()
    },
    drop: () => {
      isDropped = true
      queue.clear()
      resolveIdle()
    },
    idle: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        pump()
        resolveIdle()
      }),
    counts: () => ({ written, queuedBytes: queue.bytes() }),
  }
}
