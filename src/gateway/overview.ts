import type { Partner } from '../config/partners.ts'
import type { HistoryView } from '../operations/usage-view.ts'
import { historyView } from '../operations/usage-view.ts'
import type { Overview, PartnerOverview } from '../portal/overview/facts.ts'
import { productVersion } from '../product.ts'
import type { Edge } from './context.ts'
import type { Readiness } from './operator-server.ts'
import type { Recordings } from './recordings.ts'
import type { Settings } from './settings.ts'

export type OverviewParts = {
  readonly edge: Edge
  readonly ready: () => Readiness
  readonly recordings: Recordings
  readonly decides: Overview['decides']
}

const HOUR_MS = 3_600_000
/** Between so many partners the event loop gets its turn. */
const AT_ONCE = 20

/** Everything for the operator's first page. With many partners it takes its time and holds nobody up. */
export async function readOverview({ edge, ready, recordings, decides }: OverviewParts): Promise<Overview> {
  const now = edge.clock.now()
  // The hour before counts too: the present one may just have begun.
  const since = now - (now % HOUR_MS) - HOUR_MS
  const settings = edge.settings()
  const { store, configuration, draining, overloaded, upstream } = ready()
  return {
    now,
    version: productVersion(),
    isDraining: draining,
    isOverloaded: overloaded,
    inFlight: edge.lifecycle.inFlight(),
    store: {
      engine: settings.config.store.engine,
      ...(!store.writable && { fault: `It takes no writes: ${store.reason}` }),
    },
    configuration,
    decides,
    ...(upstream && { upstream }),
    recordings: recordings.list(),
    partners: await partnersOf(settings, since, now),
    since,
    publicUrl: edge.publicUrl(),
  }
}

async function partnersOf(settings: Settings, since: number, now: number): Promise<PartnerOverview[]> {
  const found: PartnerOverview[] = []
  for (const [index, partner] of settings.config.partners.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate)
    found.push(await partnerOf(settings, partner, since, now))
  }
  return found
}

async function partnerOf(
  { simulation }: Settings,
  partner: Partner,
  since: number,
  now: number,
): Promise<PartnerOverview> {
  const hours = await historyView(simulation, partner.id, 'hours', now)
  const lately = hours.filter(({ start }) => Date.parse(start) >= since)
  const sum = (of: (each: HistoryView) => number) => lately.reduce((total, each) => total + of(each), 0)
  const caps = (await simulation.usage(partner, now)).map(({ product: name, limit, used, reserved }) => ({
    product: name,
    percentUsed: limit === 0 ? 100 : Math.min(100, Math.floor(((used + reserved) / limit) * 100)),
  }))
  const [tightest] = caps.toSorted((one, other) => other.percentUsed - one.percentUsed)
  return {
    id: partner.id,
    name: partner.name,
    requests: sum(({ requests }) => requests),
    rateLimited: sum(({ rateLimited }) => rateLimited),
    refused: sum(({ refusals }) => Object.values(refusals).reduce((total, count) => total + count, 0)),
    ...(tightest && { tightest }),
  }
}
