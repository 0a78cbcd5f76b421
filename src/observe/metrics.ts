import { DECIDING_OPERATIONS } from '../config/contract.ts'
import type { OutcomeRule } from '../config/outcomes.ts'
import { errorEntry } from '../errors/catalogue.ts'
import { codesOf } from '../operations/openapi-codes.ts'
import { ROWS } from '../operations/operations.ts'
import { productVersion } from '../product.ts'
import type { Judgement } from '../simulator/rules.ts'
import { createExposition } from './exposition.ts'
import { type CounterName, FAMILIES, type FamilyName, type HistogramName, type LabelsOf } from './families.ts'
import { createPartnerSeries, type PartnerReads } from './partner-series.ts'
import { type Counter, createSeries, type Histogram, observe, type Reads } from './series.ts'

/** One answered request. */
export type Answered = {
  readonly operation: string
  /** Undefined where nobody is known. */
  readonly partner: string | undefined
  readonly status: number
  readonly code: string | undefined
  /** The rate-limit group that it was counted in. */
  readonly group: string
  /** From its arrival to its answer, without what the client took to send the body and what the decision took. */
  readonly gatewaySeconds: number
}

export type Metrics = {
  readonly answered: (answer: Answered) => void
  /** A decision that stands; `partner` is undefined where nobody is known. */
  readonly decided: (partner: string | undefined, operation: string, judgement: Judgement) => void
  readonly decisionTook: (operation: string, seconds: number) => void
  readonly capRefused: (partner: string, product: string) => void
  /** Adds to any other counter of the table. */
  readonly count: <N extends CounterName>(name: N, labels: LabelsOf<N>, more?: number) => void
  readonly observe: <N extends HistogramName>(name: N, labels: LabelsOf<N>, value: number) => void
  /** What a configuration lets happen starts at 0; partners that it does not name are forgotten. */
  readonly configured: (config: MetricsConfig) => void
  /** The text for Prometheus; written in slices that hold nobody up. */
  readonly expose: () => Promise<Buffer>
}

export type MetricsConfig = {
  readonly partners: readonly { readonly id: string }[]
  readonly outcomes: readonly OutcomeRule[]
}

export type MetricsParts = {
  readonly reads: Reads
  readonly partners: PartnerReads
  /** Further metrics, as text. */
  readonly processMetrics?: () => Promise<string>
}

const NAMES = Object.keys(FAMILIES) as FamilyName[]

export function createMetrics({ reads, partners: ofPartners, processMetrics }: MetricsParts): Metrics {
  const series = createSeries(reads)
  const partners = createPartnerSeries(ofPartners)
  const operations = new Map<string, OperationSeries>()
  let exposing: Promise<Buffer> | undefined

  function ofOperation(operation: string): OperationSeries {
    let found = operations.get(operation)
    if (found === undefined) {
      found = {
        gateway: series.histogram('sandgate_gateway_duration_seconds', { operation }),
        decision: undefined,
        answers: [],
        decisions: [],
      }
      operations.set(operation, found)
    }
    return found
  }

  async function render(): Promise<Buffer> {
    const to = createExposition()
    for (const name of NAMES) {
      if (FAMILIES[name].from !== 'partner') await series.write(name, to)
      await to.pause()
    }
    await partners.write(to)
    const text = to.end()
    return processMetrics ? Buffer.concat([text, Buffer.from(await processMetrics())]) : text
  }

  startAtZero((operation, status, code) => {
    const labels = { operation, status: String(status), code }
    series.counter('sandgate_requests_total', labels)
  })
  series.counter('sandgate_build_info', { version: productVersion(), node: process.version }).value = 1

  return {
    answered({ operation, partner, status, code, group, gatewaySeconds }) {
      const found = ofOperation(operation)
      const answer = inList(found.answers, status, code ?? 'none', (status, code) =>
        series.counter('sandgate_requests_total', { operation, status: String(status), code }),
      )
      answer.value++
      observe(found.gateway, gatewaySeconds)
      if (partner !== undefined) partners.answered(partner, status, group)
    },
    decided(partner, operation, { outcome, rule }) {
      const decision = inList(ofOperation(operation).decisions, outcome, rule, (outcome, rule) =>
        series.counter('sandgate_decisions_total', { operation, outcome, rule }),
      )
      decision.value++
      if (partner !== undefined) partners.decided(partner, outcome)
    },
    decisionTook(operation, seconds) {
      const found = ofOperation(operation)
      found.decision ??= series.histogram('sandgate_decision_duration_seconds', { operation })
      observe(found.decision, seconds)
    },
    capRefused: partners.capRefused,
    count: (name, labels, more = 1) => {
      series.counter(name, labels).value += more
    },
    observe: (name, labels, value) => observe(series.histogram(name, labels), value),
    configured({ partners: all, outcomes }) {
      partners.keep(new Set(all.map(({ id }) => id)))
      for (const labels of decisionsOf(outcomes)) series.counter('sandgate_decisions_total', labels)
    },
    // Two that ask at once get the same text: nobody makes the gateway write more often than it can.
    expose: () => {
      exposing ??= render().finally(() => {
        exposing = undefined
      })
      return exposing
    },
  }
}

type OperationSeries = {
  readonly gateway: Histogram
  decision: Histogram | undefined
  readonly answers: Pair<number>[]
  readonly decisions: Pair<string>[]
}

type Pair<T> = { readonly one: T; readonly other: string; readonly counter: Counter }

/** An operation has few combinations of status and code, or of outcome and rule: a list is the fastest way to one. */
function inList<T>(
  list: Pair<T>[],
  one: T,
  other: string,
  make: (one: T, other: string) => Counter,
): Counter {
  for (const each of list) if (each.one === one && each.other === other) return each.counter
  const counter = make(one, other)
  list.push({ one, other, counter })
  return counter
}

/** What an operation can answer: a refusal that comes for the first time is then an increase, which rate() sees. */
function startAtZero(start: (operation: string, status: number, code: string) => void): void {
  for (const row of ROWS) {
    start(row.id, row.success.status, 'none')
    for (const code of codesOf(row)) {
      const { status, kind } = errorEntry(code)
      if (kind !== 'replay') start(row.id, status, code)
    }
  }
}

function decisionsOf(outcomes: readonly OutcomeRule[]): readonly LabelsOf<'sandgate_decisions_total'>[] {
  return [
    ...Object.entries(DECIDING_OPERATIONS).flatMap(([operation, { outcomes: names }]) => [
      { operation, outcome: names.good, rule: 'default' },
      { operation, outcome: names.good, rule: 'requested' },
      { operation, outcome: names.bad, rule: 'requested' },
    ]),
    ...outcomes.flatMap(({ id: rule, operations, outcome }) =>
      operations.map((operation) => ({ operation, outcome, rule })),
    ),
  ]
}
