import { createMetrics } from '../src/observe/metrics.ts'
import { table } from './markdown.ts'

/** The metrics, as Markdown, from the registry that the gateway scrapes. */
export async function metricsReference(): Promise<string> {
  const { registry } = createMetrics({
    inFlight: () => 0,
    unfinished: () => 0,
    overloaded: () => false,
    connections: () => 0,
    connectionsRefused: () => 0,
    storeWritable: () => true,
    configurationGood: () => true,
  })
  const labels = new Map(registry.getMetricsAsArray().map((metric) => [metric.name, labelsOf(metric)]))
  const described = await registry.getMetricsAsJSON()
  const ours = described.filter(({ name }) => name.startsWith('sandgate_'))
  return `${[
    '# Metrics',
    '`/metrics` on the operator listener, in the text format of Prometheus. Labels hold only names of the configuration, the operations and the error codes, so their number is bounded whatever is sent. A request that belongs to no partner or no operation is counted under `none`.',
    table(
      ['Metric', 'Type', 'Labels', 'Meaning'],
      ours.map(({ name, type, help }) => [`\`${name}\``, String(type), labels.get(name) ?? '', help]),
    ),
    'Beside these there are the metrics of the process and of Node.js that prom-client collects (`process_…`, `nodejs_…`); which ones depends on the system.',
  ].join('\n\n')}\n`
}

function labelsOf(metric: object): string {
  const names: unknown = 'labelNames' in metric ? metric.labelNames : []
  return Array.isArray(names) ? names.map((name) => `\`${name}\``).join(', ') : ''
}
