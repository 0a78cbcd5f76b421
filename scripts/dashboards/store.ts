import { type Board, of, QUANTILES, quantile, rate, sum } from './board.ts'

/** Whether nothing is done twice, and whether the disk keeps up. */
export const STORE: Board = {
  uid: 'sandgate-store',
  file: 'idempotency-and-store.json',
  title: 'Sandgate / Idempotency and store',
  description: 'Whether nothing is done twice or beyond a cap, and whether the disk keeps up.',
  rows: [
    {
      title: 'Idempotency',
      panels: [
        {
          title: 'Keys',
          description:
            'Requests with an Idempotency-Key by what the key was. Many replayed are retries; mismatch is a client that uses a key twice; unknown waits for an upstream.',
          kind: 'stacked',
          unit: 'reqps',
          width: 12,
          queries: [{ expr: sum(rate(of('sandgate_idempotency_total')), 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Double executions',
          description: 'Since the start. Always 0.',
          kind: 'number',
          unit: 'none',
          width: 6,
          limits: { wrong: 1 },
          queries: [{ expr: sum(of('sandgate_double_executions_total')) }],
        },
        {
          title: 'Cap overshoots',
          description: 'Since the start. Always 0.',
          kind: 'number',
          unit: 'none',
          width: 6,
          limits: { wrong: 1 },
          queries: [{ expr: sum(of('sandgate_cap_overshoots_total')) }],
        },
      ],
    },
    {
      title: 'Commits',
      panels: [
        {
          title: 'Time to be durable',
          description: 'Of one commit, which many requests share. The disk sets the pace of every POST.',
          kind: 'graph',
          unit: 's',
          queries: QUANTILES.map(({ q, legend }) => ({
            expr: quantile(q, 'sandgate_store_commit_duration_seconds'),
            legend,
          })),
        },
        {
          title: 'Commits',
          description: 'Per second, and those that failed: nothing of them was written.',
          kind: 'graph',
          unit: 'ops',
          queries: [
            { expr: sum(rate(of('sandgate_store_commit_duration_seconds_count'))), legend: 'written' },
            { expr: sum(rate(of('sandgate_store_errors_total'))), legend: 'failed' },
          ],
        },
        {
          title: 'Waiting changes',
          description: 'For the next commit. As many as there are POSTs in flight is normal; growing is not.',
          kind: 'graph',
          unit: 'short',
          queries: [{ expr: of('sandgate_store_waiting'), legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Disk',
      panels: [
        {
          title: 'Data file',
          description:
            'It grows with records and with finished answers until these expire, and never shrinks.',
          kind: 'graph',
          unit: 'bytes',
          queries: [{ expr: of('sandgate_store_bytes'), legend: '{{instance}}' }],
        },
        {
          title: 'Free on its disk',
          description: 'When both are used up every POST is 503, and reads go on.',
          kind: 'graph',
          unit: 'bytes',
          queries: [
            { expr: of('sandgate_store_free_bytes'), legend: 'free {{instance}}' },
            {
              expr: of('sandgate_store_reusable_bytes'),
              legend: 'to be used again in the data file {{instance}}',
            },
          ],
        },
        {
          title: 'Sweep backlog',
          description:
            'How long ago the oldest entry expired that is still on the disk. Beyond some minutes the sweep does not keep up.',
          kind: 'graph',
          unit: 's',
          limits: { warning: 600 },
          queries: [{ expr: of('sandgate_store_sweep_backlog_seconds'), legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Keys and configuration',
      panels: [
        {
          title: 'Age of the signing key',
          description: 'Rotate it with `sandgate signing-keys rotate`; valid tokens stay valid.',
          kind: 'graph',
          unit: 's',
          queries: [{ expr: of('sandgate_signing_key_age_seconds'), legend: '{{instance}}' }],
        },
        {
          title: 'Configuration files',
          description: 'While they have a mistake the configuration before it stays in use.',
          kind: 'graph',
          unit: 'short',
          queries: [
            { expr: of('sandgate_configuration_good'), legend: 'good {{instance}}' },
            {
              expr: of('sandgate_configuration_reload_failures_total'),
              legend: 'refused reloads {{instance}}',
            },
            {
              expr: of('sandgate_configuration_reload_duration_seconds'),
              legend: 'seconds of the last reload {{instance}}',
              mayBeEmpty: 'nothing has been reloaded yet',
            },
          ],
        },
      ],
    },
  ],
}
