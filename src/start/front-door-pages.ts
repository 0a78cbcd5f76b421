import { demoCredentials } from '../config/demo.ts'
import type { Config } from '../config/schema.ts'
import type { Deciders } from '../decisions/decide.ts'
import type { Edge } from '../gateway/context.ts'
import { portalParts } from '../gateway/portal-parts.ts'
import { widgetParts } from '../gateway/widget-decision.ts'
import { buildOpenApi } from '../operations/openapi.ts'
import { docsPages } from '../portal/docs/page.ts'
import type { Page } from '../portal/page.ts'
import { portalPages } from '../portal/portal.ts'
import { publicDocuments } from '../portal/public-documents.ts'
import type { Sessions } from '../portal/sign-in/sessions.ts'
import { startPage } from '../portal/start-page.ts'
import { widgetPages } from '../portal/widget.ts'
import { publishOutcomes } from '../simulator/published-outcomes.ts'

/** Every page of the partner listener. */
export function frontDoorPages(edge: Edge, deciders: Deciders, sessions: Sessions): readonly Page[] {
  const { signingKeys, issuer, publicUrl } = edge
  const { publishSeconds } = edge.settings().config.tokens
  const config = () => edge.settings().config
  const openApi = (now: Config) => buildOpenApi({ publicUrl: publicUrl(), config: now })
  const outcomes = () => publishOutcomes(config().outcomes, config().scores)
  const demo = () => demoCredentials(config())
  return [
    startPage({ publicUrl, demo, hasPortal: true }),
    ...publicDocuments({ signingKeys, publishSeconds, issuer, publicUrl, config, openApi, outcomes }),
    ...docsPages({ demo, hasPortal: true }),
    ...widgetPages(widgetParts(edge, deciders)),
    ...portalPages(portalParts(edge, sessions)),
  ]
}
