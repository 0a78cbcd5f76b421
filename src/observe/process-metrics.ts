import { collectDefaultMetrics, Registry } from 'prom-client'

/** Gauges whose names end like those of counters; `nodejs_active_resources` and the like say the same by type. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** The metrics of the process and of Node.js that prom-client collects, as text; which ones depends on the system. */
export function createProcessMetrics(): () => Promise<string> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  return async () => `${await registry.metrics()}`
}
