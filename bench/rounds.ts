import { type Load, type Measured, measure } from './load.ts'
import type { Subject } from './process.ts'

export type Entrant = {
  readonly subject: Subject
  readonly load: Omit<Load, 'connections' | 'seconds'>
  /** What is done before and after every run. */
  readonly around?: (run: () => Promise<Measured>) => Promise<Measured>
}

export type Standing = {
  readonly name: string
  readonly connections: number
  readonly median: Measured
  /** (highest - lowest) / median of the requests per second. */
  readonly spread: number
}

export type RoundOptions = { readonly rounds: number; readonly seconds: number }

const WARM_UP_SECONDS = 3

/** Every entrant once, not counted: compilers have seen the code, caches are filled. */
export async function warmUp(entrants: readonly Entrant[], connections: number): Promise<void> {
  for (const { subject } of entrants) subject.pause()
  for (const entrant of entrants) await turn(entrant, connections, WARM_UP_SECONDS)
}

/**
 * Alternating rounds: every entrant once per round, the others stopped, so that whatever the machine does in a
 * minute it does to all of them.
 */
export async function alternate(
  entrants: readonly Entrant[],
  connections: number,
  { rounds, seconds }: RoundOptions,
): Promise<Standing[]> {
  const all = entrants.map((entrant) => ({ entrant, measured: [] as Measured[] }))
  for (const { subject } of entrants) subject.pause()
  for (let round = 0; round < rounds; round++) {
    for (const { entrant, measured } of all) measured.push(await turn(entrant, connections, seconds))
  }
  await Promise.all(entrants.map(({ subject }) => subject.resume()))
  return all.map(({ entrant, measured }) => standing(entrant.subject.name, connections, measured))
}

async function turn(
  { subject, load, around = (run) => run() }: Entrant,
  connections: number,
  seconds: number,
): Promise<Measured> {
  await subject.resume()
  const measured = await around(() => measure(subject, { ...load, connections, seconds }))
  subject.pause()
  return measured
}

function standing(name: string, connections: number, rounds: readonly Measured[]): Standing {
  const rates = rounds.map((round) => round.requestsPerSecond)
  const requestsPerSecond = median(rates)
  return {
    name,
    connections,
    median: {
      requestsPerSecond,
      p50Ms: median(rounds.map((round) => round.p50Ms)),
      p99Ms: median(rounds.map((round) => round.p99Ms)),
      failures: rounds.reduce((sum, { failures }) => sum + failures, 0),
    },
    spread: (Math.max(...rates) - Math.min(...rates)) / requestsPerSecond,
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** A table with the ratio of every row to the row named `base`, with the same number of connections. */
export function table(standings: readonly Standing[], base: string): string {
  const lines = [
    '| Server | Connections | Requests/s | p50 ms | p99 ms | Ratio | Spread of rounds | Failed |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
  ]
  for (const row of standings) {
    const other = standings.find(({ name, connections }) => name === base && connections === row.connections)
    lines.push(`| ${row.name} | ${row.connections} | ${figures(row, other).join(' | ')} |`)
  }
  return lines.join('\n')
}

function figures({ median: m, spread }: Standing, base: Standing | undefined): string[] {
  if (m.requestsPerSecond === 0) return ['no answer within a round', '', '', '', '', String(m.failures)]
  return [
    m.requestsPerSecond < 100 ? m.requestsPerSecond.toFixed(1) : m.requestsPerSecond.toFixed(0),
    m.p50Ms.toFixed(2),
    m.p99Ms.toFixed(2),
    base ? rounded(m.requestsPerSecond / base.median.requestsPerSecond) : '',
    `${(spread * 100).toFixed(0)} %`,
    String(m.failures),
  ]
}

function rounded(ratio: number): string {
  return ratio < 0.1 ? ratio.toFixed(3) : ratio.toFixed(2)
}
