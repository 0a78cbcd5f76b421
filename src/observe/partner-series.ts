import { CAP_PRODUCTS, PRODUCTS_WITHOUT_AMOUNT, RATE_LIMIT_GROUPS } from '../config/contract.ts'
import { OUTCOMES } from '../simulator/rules.ts'
import { type Awaitable, type CapUsage, DATA_KINDS, type DataKind } from '../store/store.ts'
import type { Exposition } from './exposition.ts'
import { FAMILIES, type FamilyName } from './families.ts'

/**
 * The series of each partner: made when the partner is first met, all of them at once, so that the first 429 of an
 * hour is an increase from 0 and not a series that was never seen before. At most 53: 4 classes of status, 8 groups,
 * 4 outcomes, 6 products, three values of 9 caps, and 4 quotas.
 */
export type PartnerSeries = {
  /** `group` is whose window refused it, of a 429. */
  readonly answered: (partner: string, status: number, group: string) => void
  readonly decided: (partner: string, outcome: string) => void
  readonly capRefused: (partner: string, product: string) => void
  /** Forgets who is not in the configuration any more. */
  readonly keep: (partners: ReadonlySet<string>) => void
  readonly write: (to: Exposition) => Promise<void>
}

const GROUPS = Object.keys(RATE_LIMIT_GROUPS)
const CLASSES = ['2xx', '3xx', '4xx', '5xx']

/** The counters of a partner, each a list in the order of its label's values. */
const COUNTERS = {
  sandgate_partner_answers_total: { label: 'status', values: CLASSES },
  sandgate_partner_rate_limited_total: { label: 'group', values: GROUPS },
  sandgate_partner_decisions_total: { label: 'outcome', values: OUTCOMES },
  sandgate_partner_cap_refusals_total: { label: 'product', values: CAP_PRODUCTS },
} as const satisfies Partial<Record<FamilyName, { label: string; values: readonly string[] }>>

type CounterFamily = keyof typeof COUNTERS
type Block = { readonly [F in CounterFamily]: number[] }

/** What is read of a partner when somebody asks; nothing of one that is not configured. */
export type PartnerReads = {
  readonly capsOf: (partner: string) => Awaitable<readonly CapUsage[]>
  readonly quotasOf: (partner: string) => Awaitable<readonly QuotaUsage[]>
}

/** What a partner holds of a kind, and what it may hold. */
export type QuotaUsage = { readonly kind: DataKind; readonly used: number; readonly limit: number }

const UNITS = { calls: 'calls', amount: 'xof' } as const
const CAP_VALUES = ['used', 'reserved', 'limit'] as const

export function createPartnerSeries({ capsOf, quotasOf }: PartnerReads): PartnerSeries {
  const blocks = new Map<string, Block>()
  let configured: ReadonlySet<string> | undefined

  function blockOf(partner: string): Block | undefined {
    let block = blocks.get(partner)
    // The last answers of one that has just been taken out do not bring it back.
    if (block === undefined && configured?.has(partner) !== false) {
      block = Object.fromEntries(
        Object.entries(COUNTERS).map(([name, { values }]) => [name, values.map(() => 0)]),
      ) as Block
      blocks.set(partner, block)
    }
    return block
  }

  function add(partner: string, name: CounterFamily, index: number): void {
    const values = blockOf(partner)?.[name]
    if (values && index >= 0 && index < values.length) values[index] = (values[index] ?? 0) + 1
  }

  async function writeCounters(to: Exposition): Promise<void> {
    for (const [name, { label, values }] of Object.entries(COUNTERS)) {
      const { type, help } = FAMILIES[name as CounterFamily]
      to.family(name, type, help)
      const ends = values.map((value) => `",${label}="${value}"}`)
      for (const [partner, block] of blocks) {
        const counts = block[name as CounterFamily]
        for (const [i, end] of ends.entries()) to.sample(name, `{partner="${partner}${end}`, counts[i] ?? 0)
        await to.pause()
      }
    }
  }

  async function writeCaps(to: Exposition): Promise<void> {
    const tightest = new Map<string, readonly CapUsage[]>()
    for (const partner of blocks.keys()) {
      tightest.set(partner, tightestOf(await capsOf(partner)))
      await to.pause()
    }
    for (const unit of ['calls', 'amount'] as const) {
      for (const what of CAP_VALUES) {
        const name = `sandgate_partner_cap_${what}_${UNITS[unit]}` as const
        to.family(name, FAMILIES[name].type, FAMILIES[name].help)
        for (const [partner, caps] of tightest) {
          for (const cap of caps) {
            if (cap.unit === unit)
              to.sample(name, `{partner="${partner}",product="${cap.product}"}`, cap[what])
          }
          await to.pause()
        }
      }
    }
  }

  async function writeQuotas(to: Exposition): Promise<void> {
    const name = 'sandgate_partner_quota_used_ratio'
    to.family(name, FAMILIES[name].type, FAMILIES[name].help)
    for (const partner of blocks.keys()) {
      for (const { kind, used, limit } of await quotasOf(partner)) {
        to.sample(name, `{partner="${partner}",kind="${kind}"}`, limit === 0 ? 1 : used / limit)
      }
      await to.pause()
    }
  }

  return {
    answered(partner, status, group) {
      add(partner, 'sandgate_partner_answers_total', Math.floor(status / 100) - 2)
      if (status === 429) add(partner, 'sandgate_partner_rate_limited_total', GROUPS.indexOf(group))
    },
    decided: (partner, outcome) =>
      add(partner, 'sandgate_partner_decisions_total', (OUTCOMES as readonly string[]).indexOf(outcome)),
    capRefused: (partner, product) =>
      add(
        partner,
        'sandgate_partner_cap_refusals_total',
        (CAP_PRODUCTS as readonly string[]).indexOf(product),
      ),
    keep(partners) {
      configured = partners
      for (const partner of blocks.keys()) if (!partners.has(partner)) blocks.delete(partner)
    },
    async write(to) {
      await writeCounters(to)
      await writeCaps(to)
      await writeQuotas(to)
    },
  }
}

/** Of each product and unit, the cap that will refuse first. */
function tightestOf(caps: readonly CapUsage[]): readonly CapUsage[] {
  const found = new Map<string, CapUsage>()
  const left = ({ limit, used, reserved }: CapUsage) => limit - used - reserved
  for (const cap of caps) {
    const name = `${cap.product} ${cap.unit}`
    const other = found.get(name)
    if (other === undefined || left(cap) < left(other)) found.set(name, cap)
  }
  return [...found.values()]
}

/** How many series a partner has at most. */
export const MAX_SERIES_PER_PARTNER =
  Object.values(COUNTERS).reduce((sum, { values }) => sum + values.length, 0) +
  (CAP_PRODUCTS.length * 2 - PRODUCTS_WITHOUT_AMOUNT.length) * CAP_VALUES.length +
  DATA_KINDS.length
