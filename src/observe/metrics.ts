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
  })
  const durations = new Histogram({
    name: 'sandgate_request_duration_seconds',
    help: 'From the arrival of a request to its answer.',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  gauge('sandgate_requests_in_flight', 'Requests that are not answered yet.', gauges.inFlight)
  gauge('sandgate_store_writable', '1 while the store takes writes, else 0.', () =>
    Number(gauges.storeWritable()),
  )
  gauge('sandgate_configuration_good', '1 while the files on disk are valid, else 0.', () =>
    Number(gauges.configurationGood()),
  )

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

  // Looking a child up by a labels object hashes it on every request; a handle is looked up by one text.
  const counted = new Map<string, Counter.Internal>()
  const timed = new Map<string, Histogram.Internal<'operation'>>()
  return {
    registry,
    request: (operation, partner, status, code, seconds) => {
      const name = `${operation} ${partner} ${status} ${code}`
      let counter = counted.get(name)
      if (!counter) {
        counter = requests.labels({ operation, partner, status: String(status), code })
        counted.set(name, counter)
      }
      counter.inc()
      let timer = timed.get(operation)
      if (!timer) {
        timer = durations.labels({ operation })
        timed.set(operation, timer)
      }
      timer.observe(seconds)
    },
  }
}
