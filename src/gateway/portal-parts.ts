import { demoCredentials } from '../config/demo.ts'
import { historyView, wholeUsage } from '../operations/usage-view.ts'
import type { Viewer, Visit } from '../portal/page.ts'
import type { PortalParts } from '../portal/portal.ts'
import type { Sessions } from '../portal/sign-in/sessions.ts'
import type { Resolution } from '../portal/usage/addresses.ts'
import { limitedLately, type PortalView } from '../portal/usage/view.ts'
import type { Edge } from './context.ts'

/** What the portal needs of the edge: who the partners are, and what they have used. */
export function portalParts(edge: Edge, sessions: Sessions): PortalParts {
  return {
    sessions,
    prove: (clientId, secret) => edge.settings().registry.prove(clientId, secret),
    demo: () => demoCredentials(edge.settings().config),
    publicUrl: edge.publicUrl,
    onSignIn: ({ partner, keyId }, requestId) =>
      edge.logger.info({ requestId, partner: partner.id, keyId }, 'signed in to the portal'),
    usage: (viewer, resolution, windows, now) => portalView(edge, viewer, resolution, windows, now),
  }
}

async function portalView(
  { settings }: Edge,
  { partner }: Viewer,
  resolution: Resolution,
  windows: ReturnType<Visit['windows']>,
  now: number,
): Promise<PortalView> {
  const { simulation } = settings()
  const subject = { partner, tenant: partner.tenant, windows, now }
  const usage = await wholeUsage(simulation, subject, resolution)
  const hours =
    resolution === 'hours' ? usage.history : await historyView(simulation, partner.id, 'hours', now)
  return { name: partner.name, resolution, usage, recentlyLimited: limitedLately(hours, now) }
}
