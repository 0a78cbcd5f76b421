import { appendFileSync } from 'node:fs'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'

/**
 * Preloaded into a program and its threads: the thread of a recorder ends, in the way that is named, when it has written
 * one batch and is given the next.
 */
const ways = {
  exit: () => process.exit(3),
  throw: () => {
    throw new Error('a fault of the thread')
  },
  memory: () => {
    const held = []
    for (;;) held.push(new Array(1e5).fill(held.length))
  },
}

if (!isMainThread && workerData?.path?.endsWith('.har')) {
  let batches = 0
  parentPort?.on('message', ({ kind }) => {
    if (kind !== 'batch' || ++batches < 2) return
    appendFileSync(process.env.THREAD_LOG ?? '', 'ended\n')
    ways[process.env.THREAD_ENDS ?? 'exit']()
  })
}
