import type { Language } from '../../http/language.ts'
import { type Document, documentContent, inline } from '../document.ts'
import { ICONS } from '../icons.ts'
import { languageSwitch } from '../language-switch.ts'
import { LOOK, SIDE_BY_SIDE } from '../look.css.ts'
import { type Markup, markup } from '../markup.ts'
import type { PageContent } from '../page.ts'
import { FORM_LOOK } from '../widget-form.css.ts'
import { SIGN_IN_TEXTS } from './texts.ts'

const STYLE = inline(LOOK + SIDE_BY_SIDE + FORM_LOOK)

export type SignInView = {
  readonly language: Language
  /** Where the form goes: a path with its query. */
  readonly action: string
  /** The page in a language. */
  readonly addressIn: (language: Language) => string
  readonly token: string
  /** What was typed, unless it may be a secret. */
  readonly keyId: string
  /** The published key of a demo gateway. */
  readonly demoKey: string | undefined
  /** What went wrong with what was sent. */
  readonly trouble: string | undefined
  readonly hasSignedOut: boolean
}

export function signInPage(view: SignInView): PageContent {
  const { language, trouble, hasSignedOut, action, token, keyId, demoKey } = view
  const texts = SIGN_IN_TEXTS[language]
  const notice = trouble ?? (hasSignedOut ? undefined : demoKey !== undefined && texts.demo)
  return signInDocument(view, {
    title: trouble === undefined ? texts.heading : `${texts.heading} – ${trouble}`,
    heading: texts.title,
    lead: markup`<p class="lead">${texts.lead}</p>`,
    content: markup`<div class="card">
${trouble !== undefined && markup`<div class="problems" id="problems" role="alert" tabindex="-1" autofocus><p>${trouble}</p></div>`}
${hasSignedOut && markup`<p class="note" role="status">${ICONS.check}<span>${texts.signedOut}</span></p>`}
<div><h2>${texts.heading}</h2><p class="muted">${texts.explain}</p></div>
${trouble === undefined && notice && markup`<p class="note">${ICONS.key}<span>${notice}</span></p>`}
<form class="fields" method="post" action="${action}">
${field('keyId', texts.keyId, texts.keyIdHint, markup` value="${keyId}" autocomplete="username"`)}
${field('key', texts.key, texts.keyHint, markup` type="password" value="${demoKey ?? ''}" autocomplete="current-password"`)}
<input type="hidden" name="token" value="${token}">
<button class="button">${texts.send}${ICONS.arrow}</button>
</form>
<p class="muted small">${texts.eightHours}</p>
</div>`,
    style: STYLE,
  })
}

function field(name: string, label: string, hint: string, extra: Markup): Markup {
  return markup`<div><label for="${name}">${label}</label><p class="hint" id="${name}-hint">${hint}</p>
<input id="${name}" name="${name}" maxlength="512" required autocapitalize="none" autocorrect="off" spellcheck="false" aria-describedby="${name}-hint"${extra}></div>`
}

function signInDocument(
  { language, addressIn }: SignInView,
  document: Pick<Document, 'title' | 'heading' | 'lead' | 'content' | 'style'>,
): PageContent {
  return documentContent({
    ...document,
    title: `${document.title} · Sandgate`,
    language,
    referrer: 'same-origin',
    corner: languageSwitch(language, addressIn),
  })
}
