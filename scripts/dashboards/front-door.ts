import { type Board, of, QUANTILES, quantile, rate, share, sum } from './board.ts'

const requests = (...matchers: readonly string[]) => rate(of('sandgate_requests_total', ...matchers))
const answered = sum(requests())

/** Is the gateway well, and what are its partners sending. */
export const FRONT_DOOR: Board = {
  uid: 'sandgate-front-door',
  file: 'front-door.json',
  title: 'Sandgate / Front door',
  description: 'Whether the gateway is well, what its partners send, and how close it is to its bounds.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        {
          title: 'Requests',
          description: 'Answered requests per second, refused ones included.',
          kind: 'number',
          unit: 'reqps',
          queries: [{ expr: answered }],
        },
        {
          title: 'Errors',
          description: 'Share of answers with a status of 500 or above: what the error budget is spent on.',
          kind: 'number',
          unit: 'percentunit',
          limits: { warning: 0.001, wrong: 0.01 },
          queries: [{ expr: share(sum(requests('status=~"5.."')), answered) }],
        },
        {
          title: 'Rate limited',
          description: 'Share of requests that were answered 429. A little is the limits at work.',
          kind: 'number',
          unit: 'percentunit',
          limits: { warning: 0.1, wrong: 0.5 },
          queries: [{ expr: share(sum(requests('status="429"')), answered) }],
        },
        {
          title: 'Gateway p99',
          description: 'What 99 of 100 requests stay below, without the time of the decision.',
          kind: 'number',
          unit: 's',
          limits: { warning: 0.1, wrong: 0.5 },
          queries: [{ expr: quantile(0.99, 'sandgate_gateway_duration_seconds') }],
        },
        {
          title: 'Store',
          description:
            'Whether the store takes writes. While it does not, every POST is 503 and nothing is executed.',
          kind: 'number',
          unit: 'none',
          words: ['read only', 'writable'],
          queries: [{ expr: `min(${of('sandgate_store_writable')})` }],
        },
        {
          title: 'Broken promises',
          description:
            'Caps that were overshot and work that was executed twice since the start. Always 0: anything else is a bug that costs money.',
          kind: 'number',
          unit: 'none',
          limits: { wrong: 1 },
          queries: [
            {
              expr: `${sum(of('sandgate_cap_overshoots_total'))} + ${sum(of('sandgate_double_executions_total'))}`,
            },
          ],
        },
      ],
    },
    {
      title: 'Traffic',
      panels: [
        {
          title: 'Requests by operation',
          description: 'Answered requests per second. `none` is a path that no endpoint has.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [{ expr: `${sum(requests(), 'operation')} > 0`, legend: '{{operation}}' }],
        },
        {
          title: 'Refusals by code',
          description: 'Answers of 400 to 499 but for 429: mistakes of clients, and caps.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [
            {
              expr: `${sum(requests('status=~"4..", status!="429"'), 'code')} > 0`,
              legend: '{{code}}',
            },
          ],
        },
        {
          title: 'Errors by code',
          description: 'Answers of 500 and above. OVERLOADED and STORE_UNAVAILABLE have executed nothing.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [{ expr: sum(requests('status=~"5.."'), 'code'), legend: '{{code}}' }],
        },
      ],
    },
    {
      title: 'Latency',
      panels: [
        {
          title: 'Gateway time',
          description: 'From the arrival of a request to its answer, without the time of the decision.',
          kind: 'graph',
          unit: 's',
          queries: QUANTILES.map(({ q, legend }) => ({
            expr: quantile(q, 'sandgate_gateway_duration_seconds'),
            legend,
          })),
        },
        {
          title: 'Gateway p99 by operation',
          description: 'A POST waits for the disk; a GET that does as well says that the loop is busy.',
          kind: 'graph',
          unit: 's',
          queries: [
            {
              expr: quantile(0.99, 'sandgate_gateway_duration_seconds', 'operation'),
              legend: '{{operation}}',
            },
          ],
        },
        {
          title: 'Decision p99 by operation',
          description:
            'The time of whoever decides: microseconds for the simulator, a network for an upstream.',
          kind: 'graph',
          unit: 's',
          queries: [
            {
              expr: quantile(0.99, 'sandgate_decision_duration_seconds', 'operation'),
              legend: '{{operation}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Rate limits and tokens',
      panels: [
        {
          title: '429s by partner',
          description:
            'Requests per second. A partner in a storm has a script without back-off; follow the link.',
          kind: 'stacked',
          unit: 'reqps',
          linksToPartner: true,
          queries: [
            {
              expr: sum(rate(of('sandgate_partner_rate_limited_total')), 'partner'),
              legend: '{{partner}}',
            },
          ],
        },
        {
          title: '429s by group',
          description: 'Which limits are too low for what partners do. Of known partners only.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [
            { expr: sum(rate(of('sandgate_partner_rate_limited_total')), 'group'), legend: '{{group}}' },
          ],
        },
        {
          title: 'Token exchanges',
          description:
            'By the code of the refusal. Many INVALID_CLIENT are a rotated key, or somebody who guesses.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [{ expr: sum(rate(of('sandgate_token_exchanges_total')), 'code'), legend: '{{code}}' }],
        },
      ],
    },
    {
      title: 'Saturation',
      panels: [
        {
          title: 'In flight',
          description:
            'Requests that are being answered, and how many there may be before new ones are OVERLOADED.',
          kind: 'graph',
          unit: 'short',
          queries: [
            { expr: of('sandgate_requests_in_flight'), legend: 'in flight {{instance}}' },
            { expr: of('sandgate_requests_unfinished'), legend: 'unfinished {{instance}}' },
            { expr: of('sandgate_requests_in_flight_limit'), legend: 'limit {{instance}}' },
            { expr: of('sandgate_overloaded'), legend: 'overloaded {{instance}}' },
          ],
        },
        {
          title: 'Connections',
          description:
            'Open connections of the partner listener, and those per second that were closed at once.',
          kind: 'graph',
          unit: 'short',
          queries: [
            { expr: of('sandgate_connections'), legend: 'open {{instance}}' },
            { expr: rate(of('sandgate_connections_refused_total')), legend: 'refused {{instance}}' },
          ],
        },
        {
          title: 'Event loop lag',
          description:
            'How late the loop runs. Above 50 ms every request feels it; above a second requests are refused.',
          kind: 'graph',
          unit: 's',
          limits: { warning: 0.05, wrong: 0.5 },
          queries: [
            { expr: of('nodejs_eventloop_lag_p99_seconds'), legend: 'p99 {{instance}}' },
            { expr: of('nodejs_eventloop_lag_max_seconds'), legend: 'max {{instance}}' },
          ],
        },
        {
          title: 'Processor',
          description: 'Cores in use. The gateway has one thread for requests: at 1 it is full.',
          kind: 'graph',
          unit: 'short',
          queries: [{ expr: rate(of('process_cpu_seconds_total')), legend: '{{instance}}' }],
        },
        {
          title: 'Memory',
          description: 'Resident memory and the heap in use. The data file is mapped and counts as resident.',
          kind: 'graph',
          unit: 'bytes',
          queries: [
            { expr: of('process_resident_memory_bytes'), legend: 'resident {{instance}}' },
            { expr: of('nodejs_heap_size_used_bytes'), legend: 'heap {{instance}}' },
          ],
        },
        {
          title: 'Version and configuration',
          description:
            'Which version runs where. A generation above 1 says that the configuration was reloaded.',
          kind: 'graph',
          unit: 'short',
          queries: [
            { expr: of('sandgate_configuration_generation'), legend: 'generation {{instance}}' },
            { expr: of('sandgate_configuration_needs_restart'), legend: 'wait for a restart {{instance}}' },
            { expr: of('sandgate_build_info'), legend: '{{version}} on {{node}}' },
          ],
        },
      ],
    },
  ],
}
