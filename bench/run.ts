import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { fdatasyncMedianMs } from './disk.ts'
import { memoryOfManyClients } from './memory.ts'
import { alternate, type Entrant, type Standing, table } from './rounds.ts'
import { accessToken, type Subject, startGateway, startPeer } from './servers.ts'
import { startUpMedianMs } from './start-up.ts'

/**
 * npm run bench [-- --only get,post,memory,start] [--rounds N] [--seconds N]
 * Prints Markdown. It reports and never asserts: a figure belongs to one machine and one minute.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'get,post,start,memory' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '1,32,128' },
  },
})
const parts = new Set(values.only.split(','))
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const connections = values.connections.split(',').map(Number)
const subjects: Subject[] = []
const keep = async (starting: Promise<Subject>): Promise<Subject> => {
  const subject = await starting
  subjects.push(subject)
  return subject
}

try {
  execFileSync('which', ['wrk', 'taskset'], { stdio: 'ignore' })
} catch {
  console.error('The benchmarks need wrk and taskset: apt-get install wrk util-linux')
  process.exit(1)
}

try {
  console.log(
    `Machine: ${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}; server and load generator on a core each. ${options.rounds} alternating rounds of ${options.seconds} s.\n`,
  )
  if (parts.has('get')) await benchGet()
  if (parts.has('post')) await benchPost()
  if (parts.has('start'))
    console.log(
      `Start to first answer: median ${Math.round(await startUpMedianMs(11))} ms of 11 fresh starts.\n`,
    )
  if (parts.has('memory')) {
    const { requests, beforeMb, afterMb, laterMb } = await memoryOfManyClients()
    console.log(
      `Memory: ${beforeMb} MB resident when warm, ${afterMb} MB after ${requests} requests from 100000 client addresses, ${laterMb} MB after 20 s more of the same.\n`,
    )
  }
} finally {
  for (const subject of subjects) await subject.stop()
}

async function benchGet(): Promise<void> {
  const path = '/v1/credit/simulate?amount=50011'
  const node = await keep(startPeer('bare Node http', 'bare-node.js'))
  const fastify = await keep(startPeer('bare Fastify', 'bare-fastify.js'))
  const quiet = await keep(startGateway('Sandgate, log off', 'log: { format: off }\n'))
  const logging = await keep(startGateway('Sandgate, log on', 'log: { format: json }\n'))
  const entrants: Entrant[] = [node, fastify].map((subject) => ({ subject, load: { path } }))
  for (const subject of [quiet, logging]) {
    const headers = { Authorization: `Bearer ${await accessToken(subject.url)}` }
    entrants.push({ subject, load: { path, headers } })
  }
  await report('GET /v1/credit/simulate, authenticated, whole pipeline', entrants)
}

async function benchPost(): Promise<void> {
  const path = '/v1/payments/fund'
  const fastify = await keep(startPeer('bare Fastify POST', 'bare-fastify.js'))
  const embedded = await keep(startGateway('Sandgate, embedded store', 'log: { format: off }\n'))
  const token = await accessToken(embedded.url)
  const script = 'fund.lua'
  await report('POST /v1/payments/fund, a fresh key each, durable before the answer', [
    { subject: fastify, load: { path, script } },
    { subject: embedded, load: { path, script, headers: { Authorization: `Bearer ${token}` } } },
  ])
  console.log(`fdatasync of 16 KiB on this disk: median ${fdatasyncMedianMs().toFixed(2)} ms.\n`)
}

async function report(title: string, entrants: readonly Entrant[]): Promise<void> {
  const standings: Standing[] = []
  for (const count of connections) standings.push(...(await alternate(entrants, count, options)))
  const base = entrants.find(({ subject }) => subject.name.startsWith('bare Fastify'))?.subject.name ?? ''
  console.log(`### ${title}\n\n${table(standings, base)}\n`)
  for (const { subject } of entrants) await stop(subject)
}

async function stop(subject: Subject): Promise<void> {
  subjects.splice(subjects.indexOf(subject), 1)
  await subject.stop()
}
