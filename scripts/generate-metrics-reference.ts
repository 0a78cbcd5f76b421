import { FAMILIES, type Family } from '../src/observe/families.ts'
import { MAX_SERIES_PER_PARTNER } from '../src/observe/partner-series.ts'
import { table } from './markdown.ts'

/** The metrics, as Markdown, from the table that the gateway counts by. */
export function metricsReference(): string {
  const families = Object.entries<Family>(FAMILIES)
  const rows = (perPartner: boolean) =>
    families
      .filter(([, { from }]) => (from === 'partner') === perPartner)
      .map(([name, { type, labels, help }]) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ])
  const head = ['Metric', 'Type', 'Labels', 'Meaning']
  return `${[
    '# Metrics',
    '`/metrics` on the operator listener, in the text format of Prometheus. Labels hold only names of the configuration, the operations and the error codes, so that their number is bounded whatever is sent: never an address, a key, a path or a token.',
    '## Of the gateway',
    table(head, rows(false)),
    'What an operation can answer and what the outcome rules can decide is there from the start, at 0, so that the first refusal is an increase.',
    '## Of each partner',
    `The series of a partner are made when it is first met, at most ${MAX_SERIES_PER_PARTNER} of them, and go when it leaves the configuration. Requests whose partner is not known count in the metrics of the gateway alone.`,
    table(head, rows(true)),
    'Within one life of the process these are the numbers of `/portal/usage`: `sandgate_partner_rate_limited_total` is its `rateLimited`, and `sandgate_partner_decisions_total` its `decisions`.',
    '## Of the process',
    'Beside these there are the metrics of the process and of Node.js that prom-client collects (`process_…`, `nodejs_…`); which ones depends on the system. `nodejs_eventloop_lag_p99_seconds` is how late the event loop ran since the last scrape.',
  ].join('\n\n')}\n`
}
