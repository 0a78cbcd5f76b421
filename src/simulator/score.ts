import { createHash } from 'node:crypto'

export type Band = 'poor' | 'fair' | 'good' | 'very_good' | 'excellent'

/** A score from 300 to 850: a pure function of the reference, the same on every machine. */
export function scoreOf(customerRef: string): number {
  return 300 + (createHash('sha256').update(`score:${customerRef}`).digest().readUInt32BE(0) % 551)
}

export function bandOf(score: number): Band {
  if (score < 580) return 'poor'
  if (score < 670) return 'fair'
  if (score < 740) return 'good'
  return score < 800 ? 'very_good' : 'excellent'
}
