import { createHmac } from 'node:crypto'
import { refuse } from '../errors/refusal.ts'
import { kycSubmit } from '../operations/kyc-submit.ts'
import type { Call } from '../operations/operation.ts'
import { findSession } from '../operations/widget-session.ts'
import type { WidgetParts } from '../portal/widget.ts'
import { partnerOfSession } from '../simulator/ids.ts'
import type { Gateway } from './context.ts'
import { execute } from './execute.ts'
import { createRequestCheck } from './judge-request.ts'

/** What the widget's page needs: its session, found by the partner in its id, and the session's one decision. */
export function widgetParts(gateway: Gateway): WidgetParts {
  const check = createRequestCheck(kycSubmit)
  const unknown = refuse('KYC_SESSION_NOT_FOUND', 'There is no widget session with this sessionId.')

  const partnerOf = (sessionId: string) =>
    gateway.settings().registry.partner(partnerOfSession(sessionId) ?? '')

  return {
    find: async (sessionId, now) => {
      const partner = partnerOf(sessionId)
      if (!partner) return { found: { kind: 'gone', refusal: unknown }, partner: undefined }
      const found = await findSession(gateway.store, partner.tenant, sessionId, now)
      // Of a session that was never made nothing is known, not even that the partner in its id exists.
      return { found, partner: found.session && partner.name }
    },
    // The page's decision is a kyc.submit with the session's id: the same checks, rules and cap, without a key.
    decide: async ({ sessionId, customerRef }, dossier, requestId, now) => {
      const settings = gateway.settings()
      const partner = partnerOf(sessionId)
      if (!partner) return { kind: 'refused', refusal: unknown }
      const body = { ...dossier, sessionId, ...(customerRef !== undefined && { customerRef }) }
      const judged = check(
        {
          query: '',
          body: Buffer.from(JSON.stringify(body)),
          contentType: 'application/json',
          contentEncoding: undefined,
          requestedOutcome: undefined,
        },
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
        now,
        windows: () => [],
      }
      const { answer, refusal } = await execute(gateway, settings, call, undefined, undefined)
      if (refusal) return { kind: 'refused', refusal }
      if (!answer) throw new TypeError('an executed call has an answer or a refusal')
      const document = JSON.parse(answer.body.toString())
      return answer.status === 200
        ? { kind: 'decided', decision: document }
        : { kind: 'refused', refusal: refuse(document.code, document.detail) }
    },
    sign: (text) => createHmac('sha256', gateway.store.secret()).update(text).digest(),
    publicUrl: gateway.publicUrl,
  }
}
