import { CATALOGUE, type ErrorCode, type ErrorEntry, errorEntry } from '../errors/catalogue.ts'
import { errorWords } from '../errors/catalogue-fr.ts'
import { RETRIES } from '../errors/retry.ts'
import type { Language } from '../http/language.ts'
import { type AnsweredBy, answeredBy, exampleAnswer } from '../operations/answered-by.ts'
import { operationAnchor } from './docs/anchor.ts'
import { documentContent, inline } from './document.ts'
import { ERROR_TEXTS, KINDS } from './error-texts.ts'
import { languageOf } from './language.ts'
import { languageSwitch } from './language-switch.ts'
import { LOOK, SIDE_BY_SIDE } from './look.css.ts'
import { type Markup, markup } from './markup.ts'
import type { PageContent, Visitor } from './page.ts'
import { SNIPPET_LOOK } from './snippet.css.ts'
import { shown } from './texts.ts'
import { WIDE_LOOK } from './wide.css.ts'

const STYLE = inline(`${LOOK}${SIDE_BY_SIDE}${SNIPPET_LOOK}
.places { list-style: none } .places li + li { margin-top: 6px } .places code { font-size: .8125rem; color: var(--muted) }
@media (min-width: 60rem) { .page > .card { width: min(46rem, calc(100% - 64px)) } }
`)

const INDEX_STYLE = inline(`${LOOK}${WIDE_LOOK}
.codes { list-style: none; padding: 0; display: grid; gap: 0 32px }
.codes li { padding: 12px 0; border-top: 1px solid var(--line) } .codes a { font-weight: 600; overflow-wrap: anywhere }
.cards section + section { margin-top: 0 }
@media (min-width: 60rem) { .codes { grid-template-columns: 1fr 1fr } }
`)

/** Developers' pages: in French for who asks for it, like the texts of a problem. */
function languageOfReader({ query, headers }: Visitor): Language {
  return languageOf(query, headers['accept-language'], 'en')
}

/** What the `type` of a problem leads to: one page for each code. */
export function errorPage(code: ErrorCode, visitor: Visitor, publicUrl: string): PageContent {
  const language = languageOfReader(visitor)
  const texts = ERROR_TEXTS[language]
  const { status, retry, kind } = errorEntry(code)
  const words = errorWords(code, language)
  const say = (text: string) => shown(text, language)
  const { body, contentType } = exampleAnswer(code, publicUrl, language)
  return documentContent({
    language,
    title: `${code} · Sandgate`,
    heading: say(words.title),
    lead: markup`<p class="lead"><code>${code}</code></p>`,
    corner: languageSwitch(language, (each) => `/docs/errors/${code}?lang=${each}`),
    content: markup`<div class="card"><dl class="facts">
<dt>${texts.status}</dt><dd>HTTP ${status}${kind === 'decision' && ` (${texts.isDecision})`}</dd>
<dt>${texts.when}</dt><dd>${say(words.cause)}</dd>
<dt>${texts.whatToDo}</dt><dd>${say(words.resolution)}</dd>
<dt>${texts.again}</dt><dd>${say(RETRIES[retry][language])}</dd>
<dt>${texts.where}</dt><dd>${places(language, answeredBy(code))}</dd>
<dt>${texts.example}</dt><dd><pre class="snippet" tabindex="0" role="region" aria-label="${texts.example}">HTTP/1.1 ${status}
Content-Type: ${contentType}

${JSON.stringify(body, null, 2)}
</pre></dd></dl>
${ways(language, code)}</div>`,
    style: STYLE,
  })
}

/** A few operations each by its name, with the way to where it can be tried; what all of them share in words. */
function places(language: Language, { rows, kind, when }: AnsweredBy): Markup {
  const texts = ERROR_TEXTS[language]
  const where = when && markup` <span class="muted">(${texts[when]})</span>`
  if (kind !== 'some') return markup`${texts[kind]}${where}`
  const items = rows.map(
    (row) =>
      markup`<li><a href="/docs#${operationAnchor(row)}" lang="en">${row.summary}</a> <code>${row.method} ${row.path}</code></li>`,
  )
  return markup`<ul class="places">${items}</ul>${where}`
}

function ways(language: Language, code: ErrorCode): Markup {
  const texts = ERROR_TEXTS[language]
  const { retry } = errorEntry(code)
  const exchange = `/docs#${operationAnchor({ method: 'POST', path: '/auth/token' })}`
  return markup`<p class="ways"><a class="button" href="/docs">${texts.docs}</a> <a class="way" href="/docs/errors">${texts.allCodes}</a>${
    retry === 'token' && markup` <a class="way" href="${exchange}">${texts.exchange}</a>`
  }${(retry === 'room' || code === 'RATE_LIMITED') && markup` <a class="way" href="/portal/usage">${texts.usage}</a>`}</p>`
}

/** Every code, with what it means; each leads to its page. */
export function errorIndex(visitor: Visitor): PageContent {
  const language = languageOfReader(visitor)
  const texts = ERROR_TEXTS[language]
  const entries = Object.entries(CATALOGUE) as [ErrorCode, ErrorEntry][]
  const sections = KINDS.map((kind) => {
    const items = entries
      .filter(([, entry]) => entry.kind === kind)
      .map(
        ([code, { status }]) =>
          markup`<li><a href="/docs/errors/${code}"><code>${code}</code></a> <span class="chip">${status}</span><br>${shown(errorWords(code, language).title, language)}</li>`,
      )
    return markup`<section class="card span" aria-labelledby="${kind}"><h2 id="${kind}">${texts[`${kind}Kind`]}</h2><ul class="codes">${items}</ul></section>`
  })
  return documentContent({
    title: `${texts.allCodes} · Sandgate`,
    heading: texts.allCodes,
    lead: markup`<p class="lead">${texts.branch}</p>`,
    corner: markup`<span class="corner"><a class="switch" href="/docs">${texts.documentation}</a>${languageSwitch(language, (each) => `/docs/errors?lang=${each}`)}</span>`,
    content: markup`<div class="cards">${sections}</div>`,
    language,
    style: INDEX_STYLE,
    layout: 'wide',
  })
}

/** There is no page for a code that does not exist. */
export function unknownErrorPage(visitor: Visitor): PageContent {
  const language = languageOfReader(visitor)
  const texts = ERROR_TEXTS[language]
  return documentContent({
    language,
    title: `${texts.nothingHere} · Sandgate`,
    heading: texts.nothingHere,
    lead: markup`<p class="lead">${texts.noSuchPage}</p>`,
    content: markup`<div class="card"><p>${texts.noSuchCode}</p><p class="ways"><a class="button" href="/docs">${texts.docs}</a> <a class="way" href="/docs/errors">${texts.allCodes}</a></p></div>`,
    style: STYLE,
  })
}
