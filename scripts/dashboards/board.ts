/** A dashboard as plain data: what the JSON is built from (build.ts), and what the tests evaluate. */
export type Board = {
  readonly uid: string
  /** Of the file under dashboards/. */
  readonly file: string
  readonly title: string
  readonly description: string
  /** The board shows one partner at a time. */
  readonly perPartner?: true
  readonly rows: readonly Row[]
}

export type Row = { readonly title: string; readonly panels: readonly Panel[] }

export type Panel = {
  readonly title: string
  /** What it shows, and what to do when it looks wrong. */
  readonly description: string
  readonly kind: 'graph' | 'stacked' | 'number' | 'bars'
  /** A unit of Grafana: https://grafana.com/docs/grafana/latest/panels-visualizations/configure-standard-options/ */
  readonly unit: string
  /** Of 24 columns; by default a third of the row, a sixth for a number. */
  readonly width?: number
  readonly queries: readonly Query[]
  /** From this value on it is shown as a warning, and as wrong. */
  readonly limits?: { readonly warning?: number; readonly wrong?: number }
  /** Words in place of the values 0 and 1. */
  readonly words?: readonly [zero: string, one: string]
  readonly max?: number
  /** Its series have a label `partner` that leads to the board of one partner. */
  readonly linksToPartner?: true
}

export type Query = {
  readonly expr: string
  readonly legend?: string
  /** Why it may give nothing although everything works. */
  readonly mayBeEmpty?: string
}

/** A selector of a metric, on the instances that the board is set to. */
export function of(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${['instance=~"$instance"', ...matchers].join(', ')}}`
}

/** The same of the partner that the board is set to. */
export function ofPartner(metric: string, ...matchers: readonly string[]): string {
  return of(metric, 'partner="$partner"', ...matchers)
}

/** Per second. */
export const rate = (selector: string): string => `rate(${selector}[$__rate_interval])`

export function sum(expr: string, by?: string): string {
  return by === undefined ? `sum(${expr})` : `sum by (${by}) (${expr})`
}

/** A part as a share of the whole; 0 while there is nothing to share. */
export const share = (part: string, whole: string): string => `${part} / (${whole} > 0) or vector(0)`

/** Both sets of series, of two units that would otherwise have the same labels. */
export function bothUnits(expr: (unit: 'calls' | 'xof') => string): string {
  const marked = (unit: 'calls' | 'xof') => `label_replace(${expr(unit)}, "unit", "${unit}", "", "")`
  return `${marked('xof')} or ${marked('calls')}`
}

export function quantile(q: number, histogram: string, by?: string): string {
  const labels = by === undefined ? 'le' : `le, ${by}`
  return `histogram_quantile(${q}, ${sum(rate(of(`${histogram}_bucket`)), labels)})`
}

/** A quantile of what did not happen is not a number, which Grafana draws as a gap. */
export const QUANTILES = [
  { q: 0.5, legend: 'p50' },
  { q: 0.95, legend: 'p95' },
  { q: 0.99, legend: 'p99' },
] as const
