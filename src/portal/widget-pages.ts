import { type ErrorCode, isErrorCode } from '../errors/catalogue.ts'
import type { Refusal } from '../errors/refusal.ts'
import type { Language } from '../http/language.ts'
import type { Fields } from '../operations/operation.ts'
import { type Document, documentContent, inline } from './document.ts'
import { ICONS, type IconName } from './icons.ts'
import { askedLanguage, languageOf } from './language.ts'
import { languageSwitch } from './language-switch.ts'
import { LOOK, SIDE_BY_SIDE } from './look.css.ts'
import { type Markup, markup, NOTHING } from './markup.ts'
import type { PageContent, Visitor } from './page.ts'
import { FORM_LOOK } from './widget-form.css.ts'
import { type FormView, formView } from './widget-form-view.ts'
import { WIDGET_SCRIPT } from './widget-script.ts'
import { type PlainTextName, TEXTS, type Texts } from './widget-texts.ts'

const FORM_STYLE = inline(LOOK + SIDE_BY_SIDE + FORM_LOOK)
const STYLE = inline(LOOK + SIDE_BY_SIDE)

/** What every page of the widget knows about its reader and its session. */
export type Scene = {
  readonly language: Language
  readonly texts: Texts
  /** The page's own address, from the root, in the language that its reader chose. */
  readonly address: string
  /** The address in a language. */
  readonly addressIn: (language: Language) => string
}

export function sceneOf({ params, query, headers }: Visitor): Scene {
  const language = languageOf(query, headers['accept-language'])
  const path = `/kyc/widget/${encodeURIComponent(params.sessionId ?? '')}`
  const addressIn = (each: Language) => `${path}?lang=${each}`
  return {
    language,
    texts: TEXTS[language],
    address: askedLanguage(query) ? addressIn(language) : path,
    addressIn,
  }
}

/** Who sent the reader here, and where they go back to. */
export type Sender = { readonly partner: string; readonly redirectUrl: string | undefined }

export type FormPage = Omit<FormView, 'language' | 'texts' | 'action'> & {
  readonly sender: Sender
  readonly expiresAtMs: number
  readonly now: number
}

export function formPage(scene: Scene, page: FormPage): PageContent {
  const { texts, address, language } = scene
  const { sender, expiresAtMs, now } = page
  const hasProblems = page.problems.length > 0 || page.trouble !== undefined
  return widgetDocument(scene, {
    title: hasProblems ? texts.errorTitle(texts.title) : texts.title,
    heading: texts.title,
    lead: markup`<p class="lead" data-open><strong>${sender.partner}</strong> ${texts.lead}</p>
${timeLeft(texts, expiresAtMs, now)}
<p class="lead" data-expired="${texts.expiredTitle}" hidden>${texts.expiredLead}</p>`,
    content: markup`<div class="card form" data-open>${formView({ ...page, texts, language, action: address })}</div>
<div class="card" data-expired hidden>${expiredAdvice(texts, sender)}</div>`,
    style: FORM_STYLE,
    script: WIDGET_SCRIPT,
  })
}

function timeLeft(texts: Texts, expiresAtMs: number, now: number): Markup {
  const seconds = Math.ceil((expiresAtMs - now) / 1000)
  const until = texts.validUntil(new Date(expiresAtMs).toISOString().slice(11, 16))
  return markup`<p class="left" data-open data-left="${seconds}">${ICONS.clock}<span data-until>${until}</span><span data-countdown hidden>${texts.timeLeft} <span role="timer" aria-label="${texts.timeLeft}" data-timer></span></span></p>
<p class="hidden-text" role="status" data-spoken data-m300="${texts.minutesLeft('5')}" data-m60="${texts.minutesLeft('1')}"></p>`
}

/** The one decision of a session: what it is, what comes next, and what to quote. */
export function decisionPage(scene: Scene, decision: Fields, sender: Sender): PageContent {
  const { texts, language } = scene
  const approved = decision.outcome === 'approved'
  const decidedAt = new Date(String(decision.decidedAt))
  const when = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const code = typeof decision.code === 'string' && isErrorCode(decision.code) ? decision.code : undefined
  const title = approved ? texts.approvedTitle : texts.rejectedTitle
  return widgetDocument(scene, {
    title,
    heading: title,
    lead: markup`<p class="lead">${approved ? texts.approvedLead : texts.rejectedLead}</p>`,
    content: markup`<div class="card" data-outcome="${approved ? 'approved' : 'rejected'}">
${approved ? roundel('check', '') : roundel('cross', 'bad')}
<h2>${approved ? texts.outcomeApproved : texts.outcomeRejected}</h2>
<p>${approved ? texts.approvedNext(sender.partner) : texts.rejectedNext(sender.partner)}</p>
<dl class="facts"><dt>${texts.reference}</dt><dd><code>${String(decision.kycId)}</code></dd>
<dt>${texts.decidedAt}</dt><dd><time datetime="${decidedAt.toISOString()}">${when.format(decidedAt)} UTC</time></dd>
${code && markup`<dt>${texts.reason}</dt><dd><a href="/docs/errors/${code}"><code>${code}</code></a></dd>`}</dl>
${returnLink(texts, sender)}</div>`,
    style: STYLE,
  })
}

type Advice = {
  readonly title: PlainTextName
  readonly lead: PlainTextName
  readonly icon: IconName
  readonly next: (texts: Texts, refusal: Refusal, partner: string) => string
  /** The label of a link to the form, where opening it once more may help. */
  readonly again?: 'again' | 'openAgain'
}

const LIMITED: Advice = {
  title: 'limitedTitle',
  lead: 'limitedLead',
  icon: 'pause',
  next: (texts, { retryAfterSeconds = 1 }) => texts.limitedNext(String(retryAfterSeconds)),
  again: 'again',
}
const BUSY: Advice = {
  title: 'busyTitle',
  lead: 'busyLead',
  icon: 'pause',
  next: ({ busyNext }) => busyNext,
  again: 'again',
}
const BROKEN: Advice = {
  title: 'brokenTitle',
  lead: 'brokenLead',
  icon: 'warning',
  next: ({ brokenNext }) => brokenNext,
  again: 'openAgain',
}
const FAULT: Advice = {
  title: 'faultTitle',
  lead: 'faultLead',
  icon: 'warning',
  next: ({ faultNext }) => faultNext,
  again: 'again',
}

const ADVICE: Partial<Record<ErrorCode, Advice>> = {
  KYC_SESSION_EXPIRED: {
    title: 'expiredTitle',
    lead: 'expiredLead',
    icon: 'clock',
    next: (texts, _, partner) => texts.expiredNext(partner),
  },
  KYC_SESSION_NOT_FOUND: {
    title: 'unknownTitle',
    lead: 'unknownLead',
    icon: 'question',
    next: ({ unknownNext }) => unknownNext,
  },
  PARTNER_LIMIT_EXCEEDED: {
    title: 'cappedTitle',
    lead: 'cappedLead',
    icon: 'pause',
    next: (texts, _, partner) => texts.cappedNext(partner),
  },
  RATE_LIMITED: LIMITED,
  STORE_UNAVAILABLE: BUSY,
  OVERLOADED: BUSY,
  DRAINING: BUSY,
  BAD_REQUEST: BROKEN,
  MALFORMED_BODY: BROKEN,
  VALIDATION_FAILED: BROKEN,
  BODY_TOO_LARGE: BROKEN,
  UNSUPPORTED_MEDIA_TYPE: BROKEN,
  REQUEST_TIMEOUT: BROKEN,
}

/** A refusal for the person in front of it: what happened and what to do, never how the gateway works. */
export function refusalPage(
  scene: Scene,
  refusal: Refusal,
  requestId: string,
  sender: Sender | undefined,
): PageContent {
  const { texts, address } = scene
  const { title, lead, icon, next, again } = ADVICE[refusal.code] ?? FAULT
  const partner = sender?.partner ?? texts.theCompany
  return widgetDocument(scene, {
    title: texts[title],
    heading: texts[title],
    lead: markup`<p class="lead">${texts[lead]}</p>`,
    content: markup`<div class="card" data-code="${refusal.code}">
${roundel(icon, icon === 'warning' ? 'bad' : 'wait')}
<p>${capitalised(next(texts, refusal, partner))}</p>
<dl class="facts"><dt>${texts.reference}</dt><dd><code>${requestId}</code></dd></dl>
${again ? markup`<p><a class="button" href="${address}">${texts[again]}</a></p>` : sender && returnLink(texts, sender)}</div>`,
    style: STYLE,
  })
}

function expiredAdvice(texts: Texts, sender: Sender): Markup {
  return markup`${roundel('clock', 'wait')}
<p>${texts.expiredNext(sender.partner)}</p>
${returnLink(texts, sender)}`
}

function roundel(icon: IconName, tone: '' | 'bad' | 'wait'): Markup {
  return markup`<div class="roundel ${tone}">${ICONS[icon]}</div>`
}

/** The address that the partner gave, as it is: nothing about the reader is added, and no referrer goes along. */
function returnLink(texts: Texts, { partner, redirectUrl }: Sender): Markup {
  if (redirectUrl === undefined) return NOTHING
  return markup`<p><a class="button" href="${redirectUrl}" rel="noreferrer">${texts.returnTo(partner)}${ICONS.arrow}</a></p>`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function widgetDocument(
  { language, addressIn }: Scene,
  document: Pick<Document, 'title' | 'heading' | 'lead' | 'content' | 'style'> &
    Partial<Pick<Document, 'script'>>,
): PageContent {
  return documentContent({
    ...document,
    title: `${document.title} · Sandgate`,
    language,
    corner: languageSwitch(language, addressIn),
  })
}
