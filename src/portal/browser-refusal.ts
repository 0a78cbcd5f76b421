import { type ErrorCode, errorEntry } from '../errors/catalogue.ts'
import { errorWords } from '../errors/catalogue-fr.ts'
import type { Refusal } from '../errors/refusal.ts'
import { documentContent, inline } from './document.ts'
import { ICONS, type IconName } from './icons.ts'
import { languageOf } from './language.ts'
import { LOOK, SIDE_BY_SIDE } from './look.css.ts'
import { markup } from './markup.ts'
import type { PageContent, Visitor } from './page.ts'
import { inLanguages, shown, type TextTable } from './texts.ts'

const STYLE = inline(LOOK + SIDE_BY_SIDE)

const TEXTS = inLanguages({
  needsToken: {
    fr: 'Cette adresse appartient à l’API : elle demande un jeton, qu’un navigateur n’envoie pas.',
    en: 'This address belongs to the API: it needs a token, which a browser does not send.',
  },
  nothingHere: { fr: 'Il n’y a pas de page à cette adresse.', en: 'There is no page at this address.' },
  notNow: { fr: 'La requête a été refusée.', en: 'The request was refused.' },
  retryIn: {
    fr: (seconds: string) => `Réessayez dans ${seconds} s.`,
    en: (seconds: string) => `Try again in ${seconds} s.`,
  },
  code: { fr: 'Code', en: 'Code' },
  whatToDo: { fr: 'Que faire', en: 'What to do' },
  reference: { fr: 'Référence de la requête', en: 'Request id' },
  portal: { fr: 'Voir votre consommation', en: 'See your usage' },
  docs: { fr: 'Documentation', en: 'Documentation' },
  start: { fr: 'Accueil', en: 'Start page' },
} as const satisfies TextTable)

/**
 * A refusal for the person in front of a browser: what the code means and where to go. It repeats nothing of what was
 * sent, the path included.
 */
export function browserRefusal(refusal: Refusal, { query, headers, requestId }: Visitor): PageContent {
  const language = languageOf(query, headers['accept-language'])
  const texts = TEXTS[language]
  const { code, retryAfterSeconds } = refusal
  const words = errorWords(code, language)
  const title = shown(words.title, language)
  const { lead, icon } = describe(code)
  return documentContent({
    language,
    title: `${title} · Sandgate`,
    heading: title,
    lead: markup`<p class="lead">${texts[lead]}</p>`,
    content: markup`<div class="card" data-code="${code}">
<div class="roundel wait">${ICONS[icon]}</div>
${retryAfterSeconds !== undefined && markup`<p><strong>${texts.retryIn(String(retryAfterSeconds))}</strong></p>`}
<dl class="facts"><dt>${texts.whatToDo}</dt><dd>${shown(words.resolution, language)}</dd>
<dt>${texts.code}</dt><dd><a href="/docs/errors/${code}"><code>${code}</code></a> · HTTP ${errorEntry(code).status}</dd>
<dt>${texts.reference}</dt><dd><code>${requestId}</code></dd></dl>
<p class="ways"><a class="button" href="/docs">${texts.docs}</a> <a class="way" href="/portal/usage">${texts.portal}</a> <a class="way" href="/">${texts.start}</a></p>
</div>`,
    style: STYLE,
  })
}

function describe(code: ErrorCode): { lead: 'needsToken' | 'nothingHere' | 'notNow'; icon: IconName } {
  const { status } = errorEntry(code)
  if (status === 401) return { lead: 'needsToken', icon: 'key' }
  if (status === 404) return { lead: 'nothingHere', icon: 'question' }
  return { lead: 'notNow', icon: status === 429 || status >= 500 ? 'pause' : 'warning' }
}
