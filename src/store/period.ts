import type { CapPeriod } from './store.ts'

/** The start of the UTC day or month that holds `now`; milliseconds since the epoch. */
export function periodStart(period: CapPeriod, now: number): number {
  const date = new Date(now)
  const day = period === 'day' ? date.getUTCDate() : 1
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)
}

/** The start of the period after the one that holds `now`. */
export function periodEnd(period: CapPeriod, now: number): number {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return period === 'day' ? Date.UTC(year, month, date.getUTCDate() + 1) : Date.UTC(year, month + 1, 1)
}
