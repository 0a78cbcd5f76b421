import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { benchAlarms } from './alarms.ts'
import { benchCold, benchListening } from './cold.ts'
import { benchForward } from './forward.ts'
import { benchLoading } from './loading.ts'
import { memoryOfManyClients } from './memory.ts'
import { benchMetrics } from './metrics.ts'
import { benchPortal } from './portal.ts'
import { benchReads } from './reads.ts'
import { benchRecording } from './recording.ts'
import { benchReplay } from './replay.ts'
import { startUpMedianMs } from './start-up.ts'
import { benchWrites } from './writes.ts'

/**
 * npm run bench [-- --only get,replay] [--rounds N] [--seconds N] [--connections N,N] [--entries N,N] [--starts N]
 * Prints Markdown. It reports and never asserts: a figure belongs to one machine and one minute.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '1,32,128' },
    entries: { type: 'string', default: '10,1000,100000' },
    starts: { type: 'string', default: '11' },
  },
})
const numbers = (list: string) => list.split(',').map(Number)
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const connections = numbers(values.connections)
const starts = Number(values.starts)

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  get: () => benchReads({ ...options, connections }),
  post: () => benchWrites({ ...options, connections }),
  forward: () => benchForward({ ...options, connections }),
  replay: () => benchReplay(numbers(values.entries), options),
  recording: () => benchRecording(options),
  metrics: () => benchMetrics(options),
  load: () => benchLoading(options.rounds),
  cold: async () => {
    await benchCold(starts)
    await benchListening(Math.min(starts, options.rounds))
  },
  start: async () => {
    const time = Math.round(await startUpMedianMs(starts))
    console.log(`Start to first answer: median ${time} ms of ${starts} fresh starts.\n`)
  },
  portal: benchPortal,
  alarms: async () => benchAlarms(),
  memory: async () => {
    const { requests, beforeMb, afterMb, laterMb } = await memoryOfManyClients()
    console.log(
      `Memory: ${beforeMb} MB resident when warm, ${afterMb} MB after ${requests} requests from 100000 client addresses, ${laterMb} MB after 20 s more of the same.\n`,
    )
  },
}

const parts = values.only?.split(',') ?? Object.keys(PARTS)
const unknown = parts.find((part) => PARTS[part] === undefined)
if (unknown !== undefined) {
  console.error(`There is no part ${unknown}: --only takes ${Object.keys(PARTS).join(', ')}`)
  process.exit(1)
}
try {
  execFileSync('which', ['wrk', 'taskset'], { stdio: 'ignore' })
} catch {
  console.error('The benchmarks need wrk and taskset: apt-get install wrk util-linux')
  process.exit(1)
}

console.log(
  `Machine: ${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}; server and load generator on a core each. ${options.rounds} alternating rounds of ${options.seconds} s.\n`,
)
for (const part of parts) await PARTS[part]?.()
