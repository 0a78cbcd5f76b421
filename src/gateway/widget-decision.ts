import { createHmac } from 'node:crypto'
import { fingerprint } from '../checks/fingerprint.ts'
import type { Decider, Deciders } from '../decisions/decide.ts'
import { derivedKey } from '../decisions/forward/request.ts'
import { isErrorCode } from '../errors/catalogue.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { jsonObject } from '../http/json-object.ts'
import { kycSubmit } from '../operations/kyc-submit.ts'
import type { Call, CallRequest, Fields } from '../operations/operation.ts'
import { findSession, SESSION_KEPT_MS } from '../operations/widget-session.ts'
import type { WidgetParts } from '../portal/widget.ts'
import { partnerOfSession } from '../simulator/ids.ts'
import type { KeyClaim } from '../store/store.ts'
import type { Edge } from './context.ts'
import { execute } from './execute.ts'
import { createRequestCheck } from './judge-request.ts'
import type { Settings } from './settings.ts'

/** What the widget's page needs: its session, found by the partner in its id, and the session's one decision. */
export function widgetParts(edge: Edge, deciders: Deciders): WidgetParts {
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
      const bytes = bytesOf(body)
      const text = { query: '', body: bytes, contentType: 'application/json' }
      const judged = check(
        { ...text, contentEncoding: undefined, requestedOutcome: undefined },
        settings.config,
        now,
      )
      if (judged.refusal) return { kind: 'refused', refusal: judged.refusal }
      const isRemote = deciders.of(kycSubmit).effect === 'remote'
      const key = isRemote ? derivedKey('widget session', sessionId) : undefined
      const call: Call = {
        operation: kycSubmit,
        requestId,
        partner,
        tenant: partner.tenant,
        scopes: new Set(partner.scopes),
        key,
        body: judged.body,
        query: judged.query,
        params: {},
        // Whoever reads the decision later reads it in their own.
        language: 'en',
        request: {
          method: kycSubmit.method,
          path: kycSubmit.path,
          query: '',
          headers: { 'content-type': 'application/json' },
          // The session is ours: nobody behind the gateway knows it.
          body: isRemote ? bytesOf({ ...body, sessionId: undefined }) : bytes,
          client: 'unknown',
        },
        now,
        windows: () => [],
      }
      const executed = await execute(
        {
          edge,
          settings,
          deciders: isRemote ? keptUnderSession(deciders, call, sessionId) : deciders,
          ...(key !== undefined && { claim: claimOf(edge, settings, key, call.request) }),
        },
        call,
      )
      if (executed.refusal) return { kind: 'refused', refusal: executed.refusal }
      const { answer } = executed
      const document = jsonObject(answer.body) ?? {}
      return answer.status === 200
        ? { kind: 'decided', decision: document }
        : { kind: 'refused', refusal: refusalOf(document) }
    },
    sign: (text) => createHmac('sha256', edge.store.secret()).update(text).digest(),
    publicUrl: edge.publicUrl,
  }
}

function bytesOf(body: object): Buffer {
  return Buffer.from(JSON.stringify(body))
}

function claimOf(edge: Edge, { config }: Settings, key: string, request: CallRequest): KeyClaim {
  const { idempotency } = config
  const { path, query, body } = request
  return {
    key,
    fingerprint: fingerprint(edge.store.secret(), {
      ...{ method: 'POST', path, query, mediaType: 'application/json', body },
      requestedOutcome: undefined,
    }),
    leaseMs: idempotency.leaseSeconds * 1000,
    retentionMs: idempotency.retentionHours * 3_600_000,
  }
}

/** What the upstream decides about a dossier is kept as the one decision of the session, which only we know. */
function keptUnderSession(deciders: Deciders, { tenant, now }: Call, sessionId: string): Deciders {
  const kept = (decider: Decider): Decider => ({
    ...decider,
    decide: async (call, attempt) => {
      const decision = await decider.decide(call, attempt)
      if (decision.kind !== 'done') return decision
      const value = jsonObject(decision.answer.body)
      const { status } = decision.answer
      // A dossier that is refused as a request decides nothing; the person may correct it.
      if (status >= 400 && !attempt.takeover) return { kind: 'passed', answer: decision.answer }
      if (value === undefined) {
        const detail = 'Its decision cannot be read.'
        return { kind: 'unknown', refusal: refuse('UPSTREAM_INDETERMINATE', detail) }
      }
      const expiresAt = now + SESSION_KEPT_MS
      const record = { kind: 'decision', tenant, id: sessionId, value, ifPresent: 'keep', expiresAt } as const
      return { ...decision, records: [...decision.records, record] }
    },
  })
  return {
    of: (operation) => kept(deciders.of(operation)),
    ofTakeovers: () => {
      const decider = deciders.ofTakeovers()
      return decider && kept(decider)
    },
  }
}

/** What a stored refusal says, or an upstream's. */
function refusalOf({ code, detail }: Fields): Refusal {
  const known = typeof code === 'string' && isErrorCode(code) ? code : 'VALIDATION_FAILED'
  return refuse(known, typeof detail === 'string' ? detail : 'The dossier was refused.')
}
