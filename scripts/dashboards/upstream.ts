import { type Board, of, QUANTILES, quantile, rate, sum } from './board.ts'

/** Who decides and how fast, and whether recordings are whole. */
export const UPSTREAM: Board = {
  uid: 'sandgate-upstream',
  file: 'upstream-and-cassettes.json',
  title: 'Sandgate / Upstream and cassettes',
  description: 'Who decides and how fast, whether the upstream answers, and whether recordings are whole.',
  rows: [
    {
      title: 'Decisions',
      panels: [
        {
          title: 'Time of a decision',
          description: 'What the simulator or the upstream took.',
          kind: 'graph',
          unit: 's',
          queries: QUANTILES.map(({ q, legend }) => ({
            expr: quantile(q, 'sandgate_decision_duration_seconds'),
            legend,
          })),
        },
        {
          title: 'Decisions by outcome',
          description: 'Decisions that were made, by operation and outcome.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [
            {
              expr: `${sum(rate(of('sandgate_decisions_total')), 'operation, outcome')} > 0`,
              legend: '{{operation}} {{outcome}}',
            },
          ],
        },
        {
          title: 'Decisions by rule',
          description:
            'Which rule decided: default, requested, upstream, or an outcome rule of the configuration.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [{ expr: `${sum(rate(of('sandgate_decisions_total')), 'rule')} > 0`, legend: '{{rule}}' }],
        },
      ],
    },
    {
      title: 'Upstream',
      panels: [
        {
          title: 'Requests by outcome',
          description:
            'answered; not_sent, after which the key is free; failed and timed_out, after which the outcome is unknown.',
          kind: 'stacked',
          unit: 'reqps',
          width: 9,
          queries: [
            { expr: sum(rate(of('sandgate_upstream_requests_total')), 'outcome'), legend: '{{outcome}}' },
          ],
        },
        {
          title: 'Circuit breaker',
          description: 'While it is open requests are answered 502 at once and nothing is reserved.',
          kind: 'number',
          unit: 'none',
          width: 5,
          words: ['closed', 'open'],
          limits: { wrong: 1 },
          queries: [{ expr: `max(${of('sandgate_upstream_breaker_open')})` }],
        },
        {
          title: 'Credentials refused',
          description:
            'Answers of the last hour in which the upstream refused the credentials of the gateway: see `upstream.auth`.',
          kind: 'number',
          unit: 'short',
          width: 5,
          limits: { wrong: 1 },
          queries: [{ expr: sum(`increase(${of('sandgate_upstream_credentials_refused_total')}[1h])`) }],
        },
        {
          title: 'Breaker opened',
          description: 'Times in the last hour.',
          kind: 'number',
          unit: 'short',
          width: 5,
          limits: { warning: 1 },
          queries: [{ expr: sum(`increase(${of('sandgate_upstream_breaker_opened_total')}[1h])`) }],
        },
      ],
    },
    {
      title: 'Recordings',
      panels: [
        {
          title: 'Recorded exchanges',
          description: 'Per second, once for each recording; and those that a bad recording did not take.',
          kind: 'graph',
          unit: 'ops',
          width: 12,
          queries: [
            { expr: sum(rate(of('sandgate_recorded_exchanges_total'))), legend: 'recorded' },
            { expr: sum(rate(of('sandgate_recording_dropped_exchanges_total'))), legend: 'dropped' },
          ],
        },
        {
          title: 'Recordings',
          description: 'Under way now.',
          kind: 'number',
          unit: 'none',
          width: 6,
          queries: [{ expr: sum(of('sandgate_recordings')) }],
        },
        {
          title: 'Bad recordings',
          description: 'Under way and incomplete: end them and record again. The traffic was not slowed.',
          kind: 'number',
          unit: 'none',
          width: 6,
          limits: { wrong: 1 },
          queries: [{ expr: sum(of('sandgate_recordings_bad')) }],
        },
      ],
    },
  ],
}
