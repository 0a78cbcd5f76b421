import { type Load, type Measured, measure } from './load.ts'
import type { Subject } from './servers.ts'

export type Entrant = { readonly subject: Subject; readonly load: Omit<Load, 'connections' | 'seconds'> }

export type Standing = {
  readonly name: string
  readonly connections: number
  readonly rounds: readonly Measured[]
  readonly median: Measured
  /** (highest - lowest) / median of the requests per second. */
  readonly spread: number
}

const SETTLE_MS = 300

/**
 * Alternating rounds: every entrant once per round, the others stopped, so that whatever the machine does in a
 * minute it does to all of them.
 */
export async function alternate(
  entrants: readonly Entrant[],
  connections: number,
  options: { readonly rounds: number; readonly seconds: number },
): Promise<Standing[]> {
  const all = new Map<string, Measured[]>(entrants.map(({ subject }) => [subject.name, []]))
  for (const { subject } of entrants) subject.pause()
  for (let round = 0; round <= options.rounds; round++) {
    for (const { subject, load } of entrants) {
      subject.resume()
      // A process that was stopped finds its event loop late and sheds load until its next tick.
      await new Promise((next) => setTimeout(next, SETTLE_MS))
      // Round 0 warms up and is not counted.
      const seconds = round === 0 ? 2 : options.seconds
      const measured = await measure(subject, { ...load, connections, seconds })
      subject.pause()
      if (measured.failures > 0) throw new Error(`${subject.name}: ${measured.failures} requests failed`)
      if (round > 0) all.get(subject.name)?.push(measured)
    }
  }
  for (const { subject } of entrants) subject.resume()
  return [...all].map(([name, rounds]) => standing(name, connections, rounds))
}

function standing(name: string, connections: number, rounds: readonly Measured[]): Standing {
  const rates = rounds.map((round) => round.requestsPerSecond)
  const requestsPerSecond = median(rates)
  return {
    name,
    connections,
    rounds,
    median: {
      requestsPerSecond,
      p50Ms: median(rounds.map((round) => round.p50Ms)),
      p99Ms: median(rounds.map((round) => round.p99Ms)),
      failures: 0,
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
    '| Server | Connections | Requests/s | p50 ms | p99 ms | Ratio | Spread of rounds |',
    '|---|--:|--:|--:|--:|--:|--:|',
  ]
  for (const { name, connections, median: m, spread } of standings) {
    const other = standings.find((row) => row.name === base && row.connections === connections)
    const ratio = other ? (m.requestsPerSecond / other.median.requestsPerSecond).toFixed(2) : ''
    lines.push(
      `| ${name} | ${connections} | ${Math.round(m.requestsPerSecond)} | ${m.p50Ms.toFixed(2)} | ${m.p99Ms.toFixed(2)} | ${ratio} | ${(spread * 100).toFixed(0)} % |`,
    )
  }
  return lines.join('\n')
}
