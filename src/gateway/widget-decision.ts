import { createHmac } from 'node:crypto'
import type { Decider } from '../decisions/decide.ts'
import { refuse } from '../errors/refusal.ts'
import { kycSubmit } from '../operations/kyc-submit.ts'
import type { Call } from '../operations/operation.ts'
import { findSession } from '../operations/widget-session.ts'
import type { WidgetParts } from '../portal/widget.ts'
import { partnerOfSession } from '../simulator/ids.ts'
import type { Edge } from './context.ts'
import { execute } from './execute.ts'
import { createRequestCheck } from './judge-request.ts'

/** What the widget's page needs: its session, found by the partner in its id, and the session's one decision. */
export function widgetParts(edge: Edge, decider: Decider): WidgetParts {
  const check = createRequestCheck(kycSubmit)
  const unknown = refuse('KYC_SESSION_NOT_FOUND', 'There is no widget session with this sessionId.')

  const partnerOf = (sessionId: string) => edge.settings().registry.partner(partnerOfSession(sessionId) ?? '')

  return {
    find: async (sessionId, now) => {
      const partner = partnerOf(sessionId)
      if (!partner) return { found: { kind: 'gone', refusal: unknown }, partner: undefined }
      const found = await findSession(edge.store, partner.tenant, sessionId, now)
      // Of a session that was never made nothing is known, not even that the partner in its id exists.
      return { found, partner: found.session && partner.name }
    },
    // The page's decision is a kyc.submit with the session's id: the same checks, rules and cap, without a key.
    decide: async ({ sessionId, customerRef }, dossier, requestId, now) => {
      const settings = edge.settings()
      const partner = partnerOf(sessionId)
      if (!partner) return { kind: 'refused', refusal: unknown }
      const body = { ...dossier, sessionId, ...(customerRef !== undefined && { customerRef }) }
      const bytes = Buffer.from(JSON.stringify(body))
      const text = { query: '', body: bytes, contentType: 'application/json' }
      const judged = check(
        { ...text, contentEncoding: undefined, requestedOutcome: undefined },
        settings.config,
        now,
      )
      if (judged.refusal) return { kind: 'refused', refusal: judged.refusal }
      const call: Call = {
        operation: kycSubmit,
        requestId,
        partner,
        tenant: partner.tenant,
        body: judged.body,
        query: judged.query,
        params: {},
        request: {
          method: kycSubmit.method,
          path: kycSubmit.path,
          query: '',
          headers: { 'content-type': 'application/json' },
          body: bytes,
        },
        now,
        windows: () => [],
      }
      const executed = await execute({ edge, decider, settings }, call)
      if (executed.refusal) return { kind: 'refused', refusal: executed.refusal }
      const { answer } = executed
      const document = JSON.parse(answer.body.toString())
      return answer.status === 200
        ? { kind: 'decided', decision: document }
        : { kind: 'refused', refusal: refuse(document.code, document.detail) }
    },
    sign: (text) => createHmac('sha256', edge.store.secret()).update(text).digest(),
    publicUrl: edge.publicUrl,
  }
}
