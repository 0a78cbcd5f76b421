import { type Board, bothUnits, of, ofPartner, rate, share, sum } from './board.ts'

/** Used and reserved of a cap as a share of it, of every selector that `select` makes. */
function usedShare(select: (metric: string) => string, unit: 'calls' | 'xof'): string {
  const part = (what: string) => select(`sandgate_partner_cap_${what}_${unit}`)
  return `(${part('used')} + ${part('reserved')}) / ${part('limit')}`
}

function left(unit: 'calls' | 'xof'): string {
  const part = (what: string) => ofPartner(`sandgate_partner_cap_${what}_${unit}`)
  return `${part('limit')} - ${part('used')} - ${part('reserved')}`
}

/** Seconds until a cap is used up, at the pace of the last half hour. */
function exhaustion(unit: 'calls' | 'xof'): string {
  return `(${left(unit)}) / (deriv(${ofPartner(`sandgate_partner_cap_used_${unit}`)}[30m]) > 0)`
}

const requests = sum(rate(ofPartner('sandgate_partner_answers_total')))
const limited = sum(rate(ofPartner('sandgate_partner_rate_limited_total')))

/** What one partner does, what is left for it, and who else is near a bound. */
export const PARTNERS: Board = {
  uid: 'sandgate-partners',
  file: 'partners.json',
  title: 'Sandgate / Partners',
  description: 'One partner: what it sends, what it is refused, what is left of its caps and for how long.',
  perPartner: true,
  rows: [
    {
      title: '$partner at a glance',
      panels: [
        {
          title: 'Requests',
          description: 'Answered requests per second, refused ones included.',
          kind: 'number',
          unit: 'reqps',
          queries: [{ expr: requests }],
        },
        {
          title: 'Rate limited',
          description: 'Share of its requests that were answered 429.',
          kind: 'number',
          unit: 'percentunit',
          limits: { warning: 0.1, wrong: 0.5 },
          queries: [{ expr: share(limited, requests) }],
        },
        {
          title: 'Nearest cap',
          description: 'The highest share of a cap that is used or reserved, of all products.',
          kind: 'number',
          unit: 'percentunit',
          limits: { warning: 0.8, wrong: 0.95 },
          queries: [{ expr: `max(${bothUnits((unit) => usedShare(ofPartner, unit))})` }],
        },
        {
          title: 'First cap used up in',
          description: 'At the pace of the last half hour. Caps begin anew at midnight UTC, or on the first.',
          kind: 'number',
          unit: 's',
          queries: [
            {
              expr: `min(${bothUnits(exhaustion)})`,
              mayBeEmpty: 'a partner that uses nothing never comes to the end of a cap',
            },
          ],
        },
        {
          title: 'Refused by a cap',
          description: 'Requests of the last hour that were refused with PARTNER_LIMIT_EXCEEDED.',
          kind: 'number',
          unit: 'short',
          limits: { warning: 1 },
          queries: [{ expr: sum(`increase(${ofPartner('sandgate_partner_cap_refusals_total')}[1h])`) }],
        },
        {
          title: 'Errors',
          description: 'Answers of 500 and above to this partner in the last hour.',
          kind: 'number',
          unit: 'short',
          limits: { warning: 1 },
          queries: [
            { expr: sum(`increase(${ofPartner('sandgate_partner_answers_total', 'status="5xx"')}[1h])`) },
          ],
        },
      ],
    },
    {
      title: 'Usage of $partner',
      panels: [
        {
          title: 'Answers by class of status',
          description: '2xx are answers and decisions, also those that are a refusal of the sandbox.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [
            { expr: sum(rate(ofPartner('sandgate_partner_answers_total')), 'status'), legend: '{{status}}' },
          ],
        },
        {
          title: '429s by group',
          description: 'Raise rateLimits for the partner, or ask for back-off: every 429 has Retry-After.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [
            {
              expr: sum(rate(ofPartner('sandgate_partner_rate_limited_total')), 'group'),
              legend: '{{group}}',
            },
          ],
        },
        {
          title: 'Decisions by outcome',
          description: 'Decisions that were made. A replayed answer is none.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [
            {
              expr: sum(rate(ofPartner('sandgate_partner_decisions_total')), 'outcome'),
              legend: '{{outcome}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Caps of $partner',
      panels: [
        {
          title: 'Used of each cap in XOF',
          description: 'Used and reserved. Of several caps of a product the one with the least left.',
          kind: 'bars',
          unit: 'percentunit',
          max: 1,
          limits: { warning: 0.8, wrong: 0.95 },
          queries: [{ expr: usedShare(ofPartner, 'xof'), legend: '{{product}}' }],
        },
        {
          title: 'Used of each cap in calls',
          description: 'Used and reserved. Of several caps of a product the one with the least left.',
          kind: 'bars',
          unit: 'percentunit',
          max: 1,
          limits: { warning: 0.8, wrong: 0.95 },
          queries: [{ expr: usedShare(ofPartner, 'calls'), legend: '{{product}}' }],
        },
        {
          title: 'Refused by caps',
          description: 'PARTNER_LIMIT_EXCEEDED per second, by product.',
          kind: 'stacked',
          unit: 'reqps',
          queries: [
            {
              expr: sum(rate(ofPartner('sandgate_partner_cap_refusals_total')), 'product'),
              legend: '{{product}}',
            },
          ],
        },
        {
          title: 'Left in XOF',
          description: 'What new requests may still take until the period ends.',
          kind: 'graph',
          unit: 'short',
          queries: [{ expr: left('xof'), legend: '{{product}}' }],
        },
        {
          title: 'Left in calls',
          description: 'What new requests may still take until the period ends.',
          kind: 'graph',
          unit: 'short',
          queries: [{ expr: left('calls'), legend: '{{product}}' }],
        },
        {
          title: 'Time until a cap is used up',
          description:
            'At the pace of the last half hour. A line that falls towards 0 before midnight UTC is a call to make.',
          kind: 'graph',
          unit: 's',
          queries: (['xof', 'calls'] as const).map((unit) => ({
            expr: exhaustion(unit),
            legend: '{{product}}',
            mayBeEmpty: 'a partner that uses nothing never comes to the end of a cap',
          })),
        },
      ],
    },
    {
      title: 'What is kept for $partner',
      panels: [
        {
          title: 'Used of each quota',
          description:
            'Beyond it new ones are refused with STORAGE_QUOTA_EXCEEDED. Answers expire by themselves; `sandgate data reset` frees the rest.',
          kind: 'bars',
          unit: 'percentunit',
          max: 1,
          width: 12,
          limits: { warning: 0.8, wrong: 0.95 },
          queries: [{ expr: ofPartner('sandgate_partner_quota_used_ratio'), legend: '{{kind}}' }],
        },
        {
          title: 'Refused by a quota, all partners',
          description: 'STORAGE_QUOTA_EXCEEDED per second, by what is held too much of.',
          kind: 'stacked',
          unit: 'reqps',
          width: 12,
          queries: [{ expr: sum(rate(of('sandgate_quota_refusals_total')), 'kind'), legend: '{{kind}}' }],
        },
      ],
    },
    {
      title: 'All partners',
      panels: [
        {
          title: 'Busiest',
          description: 'Requests per second of the ten partners that send most.',
          kind: 'bars',
          unit: 'reqps',
          linksToPartner: true,
          queries: [
            {
              expr: `topk(10, ${sum(rate(of('sandgate_partner_answers_total')), 'partner')})`,
              legend: '{{partner}}',
            },
          ],
        },
        {
          title: 'Most rate limited',
          description: '429s per second of the ten partners that get most of them.',
          kind: 'bars',
          unit: 'reqps',
          linksToPartner: true,
          queries: [
            {
              expr: `topk(10, ${sum(rate(of('sandgate_partner_rate_limited_total')), 'partner')})`,
              legend: '{{partner}}',
            },
          ],
        },
        {
          title: 'Nearest to a cap',
          description: 'The ten partners that have used the highest share of one of their caps.',
          kind: 'bars',
          unit: 'percentunit',
          max: 1,
          limits: { warning: 0.8, wrong: 0.95 },
          linksToPartner: true,
          queries: [
            {
              expr: `topk(10, max by (partner) (${bothUnits((unit) => usedShare(of, unit))}))`,
              legend: '{{partner}}',
            },
          ],
        },
      ],
    },
  ],
}
