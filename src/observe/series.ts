import type { Awaitable } from '../store/store.ts'
import { type Exposition, labelText } from './exposition.ts'
import {
  type CounterName,
  FAMILIES,
  type Family,
  type FamilyName,
  type HistogramName,
  type LabelsOf,
  type ReadName,
} from './families.ts'

/** A counter or a gauge: whoever holds it adds to it. */
export type Counter = { value: number }

export type Histogram = {
  /** How many fell into each bucket, the one without an upper bound last. */
  readonly counts: Float64Array
  readonly bounds: readonly number[]
  sum: number
}

/** Where the values that are read when somebody asks come from. What has no source is not shown. */
export type Reads = { readonly [N in ReadName]?: () => Awaitable<number | undefined> }

type Series<T> = Map<string, T>

/**
 * The series of every family that is counted: made on first use, and held by whoever counts on the hot path, because
 * finding one by its labels costs more than adding to it.
 */
export type AllSeries = {
  readonly counter: <N extends CounterName>(name: N, labels: LabelsOf<N>) => Counter
  readonly histogram: <N extends HistogramName>(name: N, labels: LabelsOf<N>) => Histogram
  /** Writes a family that is counted or read. */
  readonly write: (name: FamilyName, to: Exposition) => Promise<void>
}

export function createSeries(reads: Reads): AllSeries {
  const counters = new Map<string, Series<Counter>>()
  const histograms = new Map<string, Series<Histogram>>()

  function counter<N extends CounterName>(name: N, labels: LabelsOf<N>): Counter {
    return madeOnce(counters, name, labels, () => ({ value: 0 }))
  }

  function histogram<N extends HistogramName>(name: N, labels: LabelsOf<N>): Histogram {
    const bounds = (FAMILIES[name] as Family).buckets ?? []
    return madeOnce(histograms, name, labels, () => ({
      counts: new Float64Array(bounds.length + 1),
      bounds,
      sum: 0,
    }))
  }

  for (const [name, { from, type, labels, starts }] of Object.entries<Family>(FAMILIES)) {
    if (from !== 'counted') continue
    const [label] = labels
    if (label === undefined && type === 'histogram') histogram(name as HistogramName, {} as never)
    else if (label === undefined) counter(name as CounterName, {} as never)
    else for (const value of starts ?? []) counter(name as CounterName, { [label]: value } as never)
  }

  return {
    counter,
    histogram,
    write: async (name, to) => {
      const family: Family = FAMILIES[name]
      const value = family.from === 'read' ? await readFrom(reads[name as ReadName]) : undefined
      if (family.from === 'read' && value === undefined) return
      to.family(name, family.type, family.help)
      if (value !== undefined) to.sample(name, '', value)
      for (const [labels, { value }] of counters.get(name) ?? []) to.sample(name, labels, value)
      for (const [labels, each] of histograms.get(name) ?? []) writeHistogram(to, name, labels, each)
    },
  }
}

/** A source that fails leaves its family out, and the others as they are. */
async function readFrom(source: Reads[ReadName]): Promise<number | undefined> {
  try {
    return await source?.()
  } catch {
    return undefined
  }
}

function madeOnce<T>(
  all: Map<string, Series<T>>,
  name: FamilyName,
  labels: Readonly<Record<string, string>>,
  make: () => T,
): T {
  let ofFamily = all.get(name)
  if (ofFamily === undefined) {
    ofFamily = new Map()
    all.set(name, ofFamily)
  }
  const text = labelText(labels, FAMILIES[name].labels)
  let found = ofFamily.get(text)
  if (found === undefined) {
    found = make()
    ofFamily.set(text, found)
  }
  return found
}

export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram
  let bucket = 0
  while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++
  counts[bucket] = (counts[bucket] ?? 0) + 1
  histogram.sum += value
}

function writeHistogram(
  to: Exposition,
  name: string,
  labels: string,
  { counts, bounds, sum }: Histogram,
): void {
  const open = labels === '' ? '{' : `${labels.slice(0, -1)},`
  let total = 0
  for (const [i, count] of counts.entries()) {
    total += count
    to.sample(`${name}_bucket`, `${open}le="${bounds[i] ?? '+Inf'}"}`, total)
  }
  to.sample(`${name}_sum`, labels, sum)
  to.sample(`${name}_count`, labels, total)
}
