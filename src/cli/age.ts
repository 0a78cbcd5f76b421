const DAY_MS = 86_400_000
const UNITS: ReadonlyMap<string, number> = new Map([
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
  ['y', 365 * DAY_MS],
])

/** Milliseconds of `90d`, `12w` or `1y`; undefined for other texts. */
export function ageMs(text: string): number | undefined {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,4})([dwy])$/.exec(text) ?? []
  const unitMs = UNITS.get(unit)
  return unitMs === undefined ? undefined : Number(count) * unitMs
}

/** Whole days, for a message. */
export function days(ms: number): string {
  const count = Math.floor(ms / DAY_MS)
  return `${count} ${count === 1 ? 'day' : 'days'}`
}
