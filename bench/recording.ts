import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './clean-up.ts'
import type { Load } from './load.ts'
import { freePort, type Subject } from './process.ts'
import { report, withSubjects } from './report.ts'
import type { Entrant, RoundOptions } from './rounds.ts'
import { authorization, startGateway } from './servers.ts'

const CONNECTIONS = 32
const QUIET = 'log: { format: off }\n'
/** The recorder is a thread of its own: with one core it takes its time from the traffic. */
const CORES = [
  { cores: '0', title: 'one core for the gateway and its recorder' },
  { cores: '0,1', title: 'two cores, the second one shared with the load generator' },
]

type Recorded = { readonly exchanges: number; readonly written: number; readonly fault?: string }
type RecordingRow = { readonly exchanges: number; readonly fault?: string }

/**
 * What recording costs the traffic, at saturation and at half of it. Every run is a recording of its own, finished
 * after it, so that no run carries the files of the one before and each tells whether it is complete.
 */
export async function benchRecording(options: RoundOptions): Promise<void> {
  for (const { cores, title } of CORES) await benchOn(cores, title, options)
}

async function benchOn(cores: string, where: string, options: RoundOptions): Promise<void> {
  const directory = temporaryDirectory()
  const operatorPort = await freePort()
  const recorder = runRecorder(`http://127.0.0.1:${operatorPort}`, directory.path)
  await withSubjects(async (keep) => {
    const off = await keep(startGateway('recording off', QUIET, { cores }))
    const settings = `${QUIET}recording: { directory: ${directory.path} }\n`
    const on = await keep(startGateway('recording on', settings, { cores, operatorPort }))
    const [plain, recorded] = [await loadOf(off), await loadOf(on)]
    const compare = async (title: string, more: Partial<Load>) => {
      const entrants = [
        { subject: off, load: { ...plain, ...more } },
        { subject: on, load: { ...recorded, ...more }, around: recorder.around },
      ]
      const all = { ...options, connections: [CONNECTIONS] }
      const [standing] = await report(`${title}; ${where}`, entrants, off, all)
      console.log(`${recorder.verdict()}\n`)
      return standing?.median.requestsPerSecond ?? 0
    }
    const half = (await compare('Recording off and on, at saturation', {})) / 2
    // Its fraction is cut off, on average half a millisecond: about what an answer takes at this load.
    const pauseMs = (1000 * CONNECTIONS) / half
    await compare(`Recording off and on, at half load (about ${half.toFixed(0)} requests/s)`, {
      script: 'paced.lua',
      args: [pauseMs.toFixed(2)],
    })
  })
  directory.remove()
}

async function loadOf({ url }: Subject): Promise<Entrant['load']> {
  return {
    path: '/v1/credit/simulate?amount=50011',
    headers: { Authorization: await authorization(url) },
  }
}

/** Records every run under a name of its own, and keeps what became of it. */
function runRecorder(operator: string, directory: string) {
  let runs: Recorded[] = []
  let count = 0
  const around: NonNullable<Entrant['around']> = async (run) => {
    const name = `run-${++count}`
    await startRecording(operator, name)
    const measured = await run()
    runs.push(await endRecording(operator, name, directory))
    return measured
  }
  /** Of the runs since it was asked last. */
  const verdict = (): string => {
    const dropped = runs.reduce((sum, { exchanges, written }) => sum + exchanges - written, 0)
    const exchanges = runs.reduce((sum, one) => sum + one.exchanges, 0)
    const incomplete = runs.filter(({ fault }) => fault !== undefined)
    const faults = new Set(incomplete.map(({ fault }) => fault))
    const isComplete = incomplete.length === 0 && dropped === 0
    const text = `recording complete: ${isComplete ? 'yes' : 'no'} (${dropped} of ${exchanges} exchanges dropped; ${runs.length - incomplete.length} of ${runs.length} runs complete, the warm-up among them)`
    runs = []
    return [text, ...faults].join('\n')
  }
  return { around, verdict }
}

async function startRecording(operator: string, name: string): Promise<void> {
  const response = await fetch(`${operator}/recordings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  if (response.status !== 201) throw new Error(`no recording: ${await response.text()}`)
}

async function endRecording(operator: string, name: string, directory: string): Promise<Recorded> {
  const listed = (await (await fetch(`${operator}/recordings`)).json()) as { recordings: RecordingRow[] }
  const response = await fetch(`${operator}/recordings/${name}`, { method: 'DELETE' })
  const body = (await response.json()) as { interactions?: number; detail?: string }
  const { exchanges = 0 } = listed.recordings[0] ?? {}
  const fault = listed.recordings[0]?.fault ?? body.detail
  const written = body.interactions ?? writtenLines(directory)
  rmSync(directory, { recursive: true })
  mkdirSync(directory)
  return { exchanges, written, ...(fault !== undefined && { fault }) }
}

/** The whole exchanges in the journal that a recorder has set aside. */
function writtenLines(directory: string): number {
  let lines = 0
  for (const name of readdirSync(directory)) {
    const journal = readFileSync(join(directory, name))
    for (let at = journal.indexOf(DONE); at !== -1; at = journal.indexOf(DONE, at + 1)) lines++
  }
  return lines
}

const DONE = '","done":{"id":'
