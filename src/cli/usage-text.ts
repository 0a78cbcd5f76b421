import { instant } from '../clock.ts'
import type {
  CapView,
  HistoryView,
  RateLimitView,
  RefusalView,
  WholeUsage,
} from '../operations/usage-view.ts'
import type { Overview } from '../portal/overview/facts.ts'
import type { HistoryResolution } from '../store/store.ts'
import { columns } from './table.ts'

const SPANS = { hours: 'LAST 48 HOURS', days: 'LAST 31 DAYS' } as const
/** What fits a screen; --json has them all. */
const REFUSALS_SHOWN = 20
const BAR_WIDTH = 20

/** A partner's usage for a terminal: caps, windows, what was done, what was refused. */
export function usageText(usage: WholeUsage, resolution: HistoryResolution): string {
  const { partner, tenant, asOf } = usage
  return [
    `${partner}, ${tenant}, ${asOf}\n`,
    section('CAPS', capsText(usage.caps, asOf)),
    section('RATE LIMITS', limitsText(usage.rateLimits, asOf)),
    section(SPANS[resolution], historyText(usage.history)),
    section('RECENT REFUSALS', refusalsText(usage.refusals)),
  ].join('\n')
}

/** How every partner stands: what it did since the hour before this one began, and its tightest cap. */
export function partnersText({ partners, since, now }: Overview): string {
  const rows = [...partners].sort(
    (one, other) => other.rateLimited - one.rateLimited || other.requests - one.requests,
  )
  const heading = ['partner', 'requests', '429', 'refused', 'tightest cap']
  const cells = rows.map(({ id, requests, rateLimited, refused, tightest }) => [
    id,
    number(requests),
    number(rateLimited),
    number(refused),
    tightest ? `${tightest.product} ${tightest.percentUsed} %` : '-',
  ])
  const span = `${instant(since)} to ${instant(now)}`
  return `${span}\n\n${columns(heading, cells)}\nsandgate usage --partner ID shows one of them.\n`
}

function section(title: string, text: string): string {
  return `${title}\n${text === '' ? 'none\n' : text}`
}

function capsText(caps: readonly CapView[], asOf: string): string {
  if (caps.length === 0) return ''
  return columns(
    ['product', 'period', 'used', '', 'of', 'reserved', 'left', 'begins anew'],
    caps.map(({ product, period, unit, limit, used, reserved, remaining, resetAt }) => [
      product,
      period,
      bar(used + reserved, limit),
      number(used),
      `${number(limit)} ${unit === 'amount' ? 'XOF' : 'calls'}`,
      number(reserved),
      number(remaining),
      `in ${duration(asOf, resetAt)}`,
    ]),
  )
}

function limitsText(limits: readonly RateLimitView[], asOf: string): string {
  if (limits.length === 0) return ''
  return columns(
    ['group', 'used', '', 'of', 'left', 'begins anew'],
    limits.map(({ group, limit, remaining, resetAt }) => [
      group,
      bar(limit - remaining, limit),
      number(limit - remaining),
      number(limit),
      number(remaining),
      // A window begins with the first request.
      limit === remaining ? '-' : `in ${duration(asOf, resetAt)}`,
    ]),
  )
}

function historyText(history: readonly HistoryView[]): string {
  const byOperation = new Map<string, { requests: number; rateLimited: number } & Sums>()
  for (const { operation, requests, rateLimited, refusals, decisions } of history) {
    const total = byOperation.get(operation) ?? { requests: 0, rateLimited: 0, refusals: {}, decisions: {} }
    total.requests += requests
    total.rateLimited += rateLimited
    add(total.refusals, refusals)
    add(total.decisions, decisions)
    byOperation.set(operation, total)
  }
  if (byOperation.size === 0) return ''
  const rows = [...byOperation].sort(([, one], [, other]) => other.requests - one.requests)
  return columns(
    ['operation', 'requests', '429', 'decisions', 'refusals'],
    rows.map(([operation, { requests, rateLimited, decisions, refusals }]) => [
      operation,
      number(requests),
      number(rateLimited),
      list(decisions),
      list(refusals),
    ]),
  )
}

type Sums = { readonly refusals: Record<string, number>; readonly decisions: Record<string, number> }

function add(total: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count
}

function list(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort(([, one], [, other]) => other - one)
  return entries.length === 0 ? '-' : entries.map(([name, count]) => `${name} ${number(count)}`).join(', ')
}

function refusalsText(refusals: readonly RefusalView[]): string {
  if (refusals.length === 0) return ''
  const shown = refusals
    .slice(0, REFUSALS_SHOWN)
    .map(({ at, status, code, operation, requestId }) => [at, String(status), code, operation, requestId])
  const rest = refusals.length - shown.length
  const more = rest > 0 ? `and ${rest} more; --json lists them\n` : ''
  return columns(['at', 'status', 'code', 'operation', 'request'], shown) + more
}

/** How full it is: `######--------------  31 %`. */
function bar(used: number, limit: number): string {
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const filled = used > 0 ? Math.max(1, Math.floor(share * BAR_WIDTH)) : Math.floor(share * BAR_WIDTH)
  const percent = `${Math.floor(share * 100)} %`
  return `${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)} ${percent.padStart(5)}`
}

/** 50000000 is read wrong more often than 50 000 000. */
function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}

function duration(from: string, to: string): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(to) - Date.parse(from)) / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}
