import { randomBytes } from 'node:crypto'
import { type ErrorCode, errorEntry } from '../../errors/catalogue.ts'
import { type Refusal, refuse } from '../../errors/refusal.ts'
import { prefersHtml } from '../../http/accept.ts'
import { isKeyId } from '../../tokens/client-id.ts'
import { LIVE_KEY, looksLive } from '../../tokens/live-key.ts'
import type { ProvenKey } from '../../tokens/registry.ts'
import { browserRefusal } from '../browser-refusal.ts'
import { isForeign, readFormPost } from '../form-post.ts'
import type { Page, PageAnswer, Visit, Visitor } from '../page.ts'
import { seeOther } from '../redirect.ts'
import { addressOf, SIGN_IN_PATH, SIGN_OUT_PATH, USAGE_PATH } from '../usage/addresses.ts'
import { FORM_COOKIE, readCookie, SESSION_COOKIE, setCookie } from './cookies.ts'
import { SESSION_SECONDS, type Sessions } from './sessions.ts'
import { SIGN_IN_TEXTS, type SignInTexts } from './texts.ts'
import { signInPage } from './view.ts'

export type SignInParts = {
  readonly sessions: Sessions
  /** The key that both prove together; costs the same whether or not there is one. */
  readonly prove: (clientId: string, secret: string) => ProvenKey | undefined
  /** The published key, while this gateway is for its reader's own machine. */
  readonly demo: () => { readonly clientId: string; readonly clientSecret: string } | undefined
  /** Scheme, host and port of the pages, without a slash at the end. */
  readonly publicUrl: () => string
  readonly onSignIn: (proven: ProvenKey, requestId: string) => void
}

/** Signing in to the portal with a key id and its sandbox key, and signing out. */
export function signInPages(parts: SignInParts): readonly Page[] {
  const shared = {
    group: 'other',
    isDocument: true,
    takesSession: true,
    renderRefusal: browserRefusal,
  } as const
  const signIn = { ...shared, id: 'portal.sign-in', path: SIGN_IN_PATH }
  return [
    { ...signIn, method: 'GET', render: (visit) => show(parts, visit) },
    { ...signIn, method: 'POST', render: (visit) => signInWith(parts, visit) },
    {
      ...shared,
      id: 'portal.sign-out',
      method: 'POST',
      path: SIGN_OUT_PATH,
      render: (visit) => signOut(parts, visit),
    },
  ]
}

/** What the form of a session's sign-out carries. */
export function signOutToken(sessions: Sessions, id: string): string {
  return sessions.formToken(`sign-out ${id}`)
}

function show(parts: SignInParts, visit: Visit): PageAnswer {
  const { view, query } = addressOf(visit)
  if (visit.viewer?.session) return seeOther(view(USAGE_PATH))
  return form(parts, visit, { hasSignedOut: query.get('signed-out') === '1' })
}

/** After these the form is shown again; any other refusal is a page of its own. */
const TROUBLE: Partial<Record<ErrorCode, (texts: SignInTexts, refusal: Refusal) => string>> = {
  VALIDATION_FAILED: ({ missing }) => missing,
  INVALID_CLIENT: ({ wrong, live }, { detail }) => (detail === LIVE_KEY ? live : wrong),
  BAD_REQUEST: ({ stale }) => stale,
  RATE_LIMITED: ({ tooMany }, { retryAfterSeconds = 1 }) => tooMany(String(retryAfterSeconds)),
}

async function signInWith(parts: SignInParts, visit: Visit): Promise<PageAnswer> {
  const post = readFormPost(visit)
  if (post.refusal) return refused(parts, visit, post.refusal)
  const cookie = formCookie(visit)
  const isOurs =
    cookie !== undefined && parts.sessions.isFormToken(post.fields.get('token'), `sign-in ${cookie}`)
  if (isForeign(visit, parts.publicUrl()) || !isOurs) {
    const detail =
      'The form was not sent from its own page: its token or cookie is missing, or another site sent it.'
    return refused(parts, visit, refuse('BAD_REQUEST', detail))
  }
  // People copy a key with the blanks around it.
  const keyId = (post.fields.get('keyId') ?? '').trim()
  const key = (post.fields.get('key') ?? '').trim()
  if (keyId === '' || key === '') {
    return refused(parts, visit, refuse('VALIDATION_FAILED', 'keyId and key are both needed.'), keyId)
  }
  const proven = parts.prove(keyId, key)
  if (!proven) {
    const full = await visit.countFailure(keyId)
    const isLive = looksLive(key) || looksLive(keyId)
    const detail = isLive ? LIVE_KEY : 'The key id and the sandbox key do not belong together.'
    return refused(parts, visit, full ?? refuse('INVALID_CLIENT', detail), keyId)
  }
  parts.onSignIn(proven, visit.requestId)
  const { cookie: value } = parts.sessions.begin(proven, visit.now)
  const maxAgeSeconds = SESSION_SECONDS
  return seeOther(addressOf(visit).view(USAGE_PATH), {
    'set-cookie': setCookie(SESSION_COOKIE, value, { ...cookieOptions(parts), maxAgeSeconds }),
  })
}

/** Ends the session on the server, then in the browser. Without a session there is nothing left to end. */
async function signOut(parts: SignInParts, visit: Visit): Promise<PageAnswer> {
  const session = visit.viewer?.session
  const post = readFormPost(visit)
  if (post.refusal) return refused(parts, visit, post.refusal)
  if (isForeign(visit, parts.publicUrl())) {
    return refused(parts, visit, refuse('BAD_REQUEST', 'Another site sent this form.'))
  }
  if (session) {
    if (!parts.sessions.isFormToken(post.fields.get('token'), `sign-out ${session.id}`)) {
      return refused(parts, visit, refuse('BAD_REQUEST', 'The form carries no token of this session.'))
    }
    await parts.sessions.end(session, visit.now)
  }
  return seeOther(addressOf(visit).signedOut, {
    'set-cookie': setCookie(SESSION_COOKIE, '', { ...cookieOptions(parts), maxAgeSeconds: 0 }),
  })
}

type Shown = { readonly trouble?: string; readonly keyId?: string; readonly hasSignedOut?: boolean }

function form(parts: SignInParts, visit: Visit, { trouble, keyId, hasSignedOut = false }: Shown): PageAnswer {
  const { language, view, inLanguage } = addressOf(visit)
  const known = formCookie(visit)
  const cookie = known ?? randomBytes(16).toString('base64url')
  const demo = parts.demo()
  const content = signInPage({
    language,
    action: view(SIGN_IN_PATH),
    addressIn: (each) => inLanguage(each, SIGN_IN_PATH),
    token: parts.sessions.formToken(`sign-in ${cookie}`),
    keyId: keyId ?? demo?.clientId ?? '',
    demoKey: demo?.clientSecret,
    trouble,
    hasSignedOut,
  })
  const set = known === undefined && { 'set-cookie': setCookie(FORM_COOKIE, cookie, cookieOptions(parts)) }
  return { kind: 'page', status: 200, ...content, headers: { ...content.headers, ...set } }
}

/** The form again with what was wrong, or a problem document for who is no browser. */
function refused(parts: SignInParts, visit: Visit, refusal: Refusal, typed = ''): PageAnswer {
  const { code, retryAfterSeconds } = refusal
  const explain = TROUBLE[code]
  if (!explain || !prefersHtml(visit.headers.accept)) return { kind: 'refused', refusal }
  const trouble = explain(SIGN_IN_TEXTS[addressOf(visit).language], refusal)
  // A sandbox key in the wrong field is not shown again.
  const shown = form(parts, visit, { trouble, keyId: isKeyId(typed) ? typed : '' })
  if (shown.kind !== 'page') return shown
  const retry = retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }
  return { ...shown, status: errorEntry(code).status, code, headers: { ...shown.headers, ...retry } }
}

function formCookie({ headers }: Visitor): string | undefined {
  const value = readCookie(headers.cookie, FORM_COOKIE)
  return value !== undefined && /^[A-Za-z0-9_-]{22}$/.test(value) ? value : undefined
}

function cookieOptions({ publicUrl }: SignInParts): { readonly isSecure: boolean } {
  return { isSecure: publicUrl().startsWith('https:') }
}
