import { timingSafeEqual } from 'node:crypto'
import { type ErrorCode, errorEntry } from '../errors/catalogue.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { prefersHtml } from '../http/accept.ts'
import type { Fields } from '../operations/operation.ts'
import { WIDGET_PATH } from '../operations/widget-page.ts'
import { type FoundSession, type StoredSession, widgetSession } from '../operations/widget-session.ts'
import { isForeign, readFormPost } from './form-post.ts'
import type { Page, PageAnswer, PageContent, PageDecision, Visit, Visitor } from './page.ts'
import { dossierOf, NOTHING_TYPED, problemsOf, type Typed, typedFrom } from './widget-form.ts'
import { decisionPage, formPage, refusalPage, type Sender, sceneOf } from './widget-pages.ts'

export type WidgetParts = {
  /** The session, and the name of the partner that it belongs to. */
  readonly find: (
    sessionId: string,
    now: number,
  ) => Promise<{ readonly found: FoundSession; readonly partner: string | undefined }>
  /** The session's one decision about a dossier; its errors point into the dossier. */
  readonly decide: (
    session: StoredSession,
    dossier: Fields,
    requestId: string,
    now: number,
  ) => Promise<PageDecision>
  /** A keyed digest that only this installation can make. */
  readonly sign: (text: string) => Buffer
  /** Scheme, host and port of the page, without a slash at the end. */
  readonly publicUrl: () => string
}

/** The KYC widget: the page behind the URL of a session. Whoever has the URL may use it; nobody can guess it. */
export function widgetPages(parts: WidgetParts): readonly Page[] {
  const shared = {
    path: WIDGET_PATH,
    group: 'other',
    isDocument: false,
    belongsTo: widgetSession,
    renderRefusal,
  } as const
  return [
    { ...shared, id: 'widget.show', method: 'GET', render: (visit) => show(parts, visit) },
    { ...shared, id: 'widget.submit', method: 'POST', render: (visit) => submit(parts, visit) },
  ]
}

function renderRefusal(refusal: Refusal, visitor: Visitor): PageContent {
  return refusalPage(sceneOf(visitor), refusal, visitor.requestId, undefined)
}

async function show(parts: WidgetParts, visit: Visit): Promise<PageAnswer> {
  const { found, sender } = await arrive(parts, visit)
  if (found.kind === 'gone') return refused(visit, found.refusal, sender)
  if (!found.decision) return form(parts, visit, found.session, sender)
  const { rule } = found.decision
  const content = decisionPage(sceneOf(visit), found.decision, sender)
  const headers = { ...content.headers, ...(typeof rule === 'string' && { 'x-sandbox-rule': rule }) }
  return { kind: 'page', status: 200, ...content, headers }
}

/** Takes the one decision and leads back to the page, which shows it: a reload sends nothing twice. */
async function submit(parts: WidgetParts, visit: Visit): Promise<PageAnswer> {
  const { found, sender } = await arrive(parts, visit)
  if (found.kind === 'gone') return refused(visit, found.refusal, sender)
  const post = readFormPost(visit)
  if (post.refusal) return refused(visit, post.refusal, sender)
  const { session } = found
  if (isForeign(visit, parts.publicUrl()) || !isOurs(parts, session, post.fields.get('token'))) {
    const detail = 'The form was not sent from its own page: its token is missing, or another site sent it.'
    return refused(visit, refuse('BAD_REQUEST', detail), sender)
  }
  if (found.decision) return backToPage(visit)
  const typed = typedFrom(post.fields)
  const decided = await parts.decide(session, dossierOf(typed, session.phone), visit.requestId, visit.now)
  if (decided.kind === 'decided') return backToPage(visit)
  const { refusal } = decided
  if (!prefersHtml(visit.headers.accept) || !KEEPS_FORM.has(refusal.code))
    return refused(visit, refusal, sender)
  return form(parts, visit, session, sender, { typed, refusal })
}

/** After these the form is shown again, with all that was typed. */
const KEEPS_FORM = new Set<ErrorCode>([
  'VALIDATION_FAILED',
  'STORE_UNAVAILABLE',
  'IDEMPOTENCY_IN_PROGRESS',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_INDETERMINATE',
  'UPSTREAM_TIMEOUT',
])

async function arrive({ find }: WidgetParts, { params, now }: Visit) {
  const { found, partner = '' } = await find(params.sessionId ?? '', now)
  const sender: Sender = { partner, redirectUrl: found.session?.redirectUrl }
  return { found, sender }
}

function form(
  parts: WidgetParts,
  visit: Visit,
  session: StoredSession,
  sender: Sender,
  failed?: { readonly typed: Typed; readonly refusal: Refusal },
): PageAnswer {
  const typed = failed?.typed ?? NOTHING_TYPED
  const problems = problemsOf(failed?.refusal.errors ?? [], typed)
  const isInvalid = failed?.refusal.code === 'VALIDATION_FAILED'
  const content = formPage(sceneOf(visit), {
    token: tokenOf(parts, session).toString('base64url'),
    knownPhone: session.phone,
    typed,
    problems,
    trouble: failed && problems.length === 0 ? (isInvalid ? 'formInvalid' : 'tryAgainSoon') : undefined,
    sender,
    expiresAtMs: session.expiresAtMs,
    now: visit.now,
  })
  if (!failed) return { kind: 'page', status: 200, ...content }
  return refusedPage(failed.refusal, content)
}

/** A refusal that knows the session: a page with the way back for a browser, a problem document otherwise. */
function refused(visit: Visit, refusal: Refusal, sender: Sender): PageAnswer {
  if (!prefersHtml(visit.headers.accept) || sender.partner === '') return { kind: 'refused', refusal }
  return refusedPage(refusal, refusalPage(sceneOf(visit), refusal, visit.requestId, sender))
}

function refusedPage(refusal: Refusal, content: PageContent): PageAnswer {
  const { code, retryAfterSeconds } = refusal
  const retry = retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }
  const headers = { ...content.headers, ...refusal.headers, ...retry }
  return { kind: 'page', status: errorEntry(code).status, code, ...content, headers }
}

/** 303: the browser asks for the page again with GET. */
function backToPage(visit: Visit): PageAnswer {
  const headers = {
    location: sceneOf(visit).address,
    'content-type': 'text/plain; charset=utf-8',
    'referrer-policy': 'no-referrer',
  }
  return { kind: 'page', status: 303, headers, body: '' }
}

/** The form's own protection against other sites: they cannot read it, so they do not know its token. */
function tokenOf({ sign }: WidgetParts, { sessionId }: StoredSession): Buffer {
  return sign(`widget form ${sessionId}`)
}

function isOurs(parts: WidgetParts, session: StoredSession, token: string | undefined): boolean {
  const expected = tokenOf(parts, session)
  const sent = Buffer.from(token ?? '', 'base64url')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
