import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  readonly registry: Registry
  /** Counts one answered request. `code` is `none` for answers that are not errors. */
  readonly request: (
    operation: string,
    partner: string,
    status: number,
    code: string,
    seconds: number,
  ) => void
}

/** What the gauges read when they are scraped. */
export type Gauges = {
  readonly inFlight: () => number
  readonly unfinished: () => number
  readonly overloaded: () => boolean
  readonly connections: () => number
  readonly connectionsRefused: () => number
  readonly storeWritable: () => boolean
  readonly configurationGood: () => boolean
}

const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Every metric, declared once, on a registry of our own. Labels hold only what the configuration and the
 * catalogue name (operations, partners, codes), so their number is bounded whatever is sent.
 */
export function createMetrics(gauges: Gauges): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'sandgate_requests_total',
    help: 'Answered requests of the partner listener.',
    labelNames: ['operation', 'partner', 'status', 'code'],
    registers: [registry],
    collect: () => {
      for (const series of counted) {
        if (series.pending > 0) series.counter.inc(series.pending)
        series.pending = 0
      }
    },
  })
  const durations = new Histogram({
    name: 'sandgate_request_duration_seconds',
    help: 'From the arrival of a request to its answer.',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
    collect: () => observePending(),
  })
  gauge(
    'sandgate_requests_in_flight',
    'Requests that have arrived whole and are not answered yet.',
    gauges.inFlight,
  )
  gauge('sandgate_requests_unfinished', 'Requests whose bodies are being waited for.', gauges.unfinished)
  gauge('sandgate_overloaded', '1 while new requests are refused with OVERLOADED, else 0.', () =>
    Number(gauges.overloaded()),
  )
  gauge('sandgate_connections', 'Open connections of the partner listener.', gauges.connections)
  total(
    'sandgate_connections_refused_total',
    'Connections that were closed because their address had as many as it may.',
    gauges.connectionsRefused,
  )
  gauge('sandgate_store_writable', '1 while the store takes writes, else 0.', () =>
    Number(gauges.storeWritable()),
  )
  gauge('sandgate_configuration_good', '1 while the files on disk are valid, else 0.', () =>
    Number(gauges.configurationGood()),
  )

  /** A count that somebody else keeps. */
  function total(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [registry],
      collect: function () {
        this.reset()
        this.inc(read())
      },
    })
  }

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect: function () {
        this.set(read())
      },
    })
  }

  // prom-client hashes labels at every increment, so requests are only noted and handed to it together.
  const counted: Series[] = []
  const operations = new Map<string, OperationSeries>()
  const pendingTimers: Histogram.Internal<'operation'>[] = []
  const pendingSeconds = new Float64Array(BATCH)

  function observePending(): void {
    for (const [i, timer] of pendingTimers.entries()) timer.observe(pendingSeconds[i] ?? 0)
    pendingTimers.length = 0
  }

  function ofOperation(operation: string): OperationSeries {
    const known = operations.get(operation)
    if (known) return known
    const series = { timer: durations.labels({ operation }), ofPartner: new Map<string, Series[]>() }
    operations.set(operation, series)
    return series
  }

  /** An operation answers a partner with few combinations of status and code: a list is the fastest way to one. */
  function seriesOf(
    { ofPartner }: OperationSeries,
    operation: string,
    partner: string,
    status: number,
    code: string,
  ): Series {
    let list = ofPartner.get(partner)
    if (!list) {
      list = []
      ofPartner.set(partner, list)
    }
    for (const series of list) if (series.status === status && series.code === code) return series
    const counter = requests.labels({ operation, partner, status: String(status), code })
    const series = { status, code, pending: 0, counter }
    list.push(series)
    counted.push(series)
    return series
  }

  return {
    registry,
    request: (operation, partner, status, code, seconds) => {
      const ofThis = ofOperation(operation)
      seriesOf(ofThis, operation, partner, status, code).pending++
      pendingSeconds[pendingTimers.length] = seconds
      pendingTimers.push(ofThis.timer)
      if (pendingTimers.length === BATCH) observePending()
    },
  }
}

/** Small enough that handing one over holds nobody up. */
const BATCH = 256

type Series = {
  readonly status: number
  readonly code: string
  pending: number
  readonly counter: Counter.Internal
}

type OperationSeries = {
  readonly timer: Histogram.Internal<'operation'>
  readonly ofPartner: Map<string, Series[]>
}
