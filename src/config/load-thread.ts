import { parentPort, workerData } from 'node:worker_threads'
import { loadConfig } from './load.ts'
import { type FromThread, PIECE } from './load-messages.ts'

/** Reads and checks a configuration in a thread of its own, and hands the partners over a piece at a time. */
const result = loadConfig(workerData)
const partners = result.ok ? result.config.partners : []
const say = (message: FromThread) => parentPort?.postMessage(message)

let next = 0
parentPort?.on('message', () => {
  if (next >= partners.length) return say({ kind: 'end' })
  say({ kind: 'partners', partners: partners.slice(next, next + PIECE) })
  next += PIECE
})
say({
  kind: 'result',
  result: result.ok ? { ...result, config: { ...result.config, partners: [] } } : result,
})
