import type { DemoCredentials } from '../../config/demo.ts'
import { refuse } from '../../errors/refusal.ts'
import type { Language } from '../../http/language.ts'
import type { OperationRow } from '../../operations/operation.ts'
import { ROWS } from '../../operations/operations.ts'
import { documentContent, inline } from '../document.ts'
import { languageOf } from '../language.ts'
import { languageSwitch } from '../language-switch.ts'
import { LOOK } from '../look.css.ts'
import { type Markup, markup } from '../markup.ts'
import type { Page, PageAnswer, Visit } from '../page.ts'
import { redirect } from '../redirect.ts'
import { WIDE_LOOK } from '../wide.css.ts'
import { FORM_LOOK } from '../widget-form.css.ts'
import { operationAnchor } from './anchor.ts'
import { assetName, readAsset } from './assets.ts'
import { DOCS_LOOK } from './docs.css.ts'
import { DOCS_TEXTS } from './texts.ts'

export type DocsParts = {
  /** The demo partner's credentials, when this gateway is for the reader's own machine and they work; asked anew for each page. */
  readonly demo: () => DemoCredentials | undefined
  /** A gateway that replays has no portal. */
  readonly hasPortal: boolean
}

const STYLE = inline(LOOK + WIDE_LOOK + FORM_LOOK + DOCS_LOOK)
const FIRST_SHOWN = operationAnchor({ method: 'POST', path: '/v1/payments/fund' })

/** The interactive reference under /docs, with everything it loads. Works without the internet. */
export function docsPages(parts: DocsParts): readonly Page[] {
  const shared = { method: 'GET', group: 'other', isDocument: true } as const
  return [
    { ...shared, id: 'docs', path: '/docs', render: (visit) => docsPage(parts, visit) },
    {
      ...shared,
      id: 'docs.asset',
      path: '/docs/assets/{file}',
      render: async ({ params, headers }) => {
        const asset = await readAsset(params.file ?? '')
        return asset
          ? asset.answer(headers, 'public, max-age=31536000, immutable')
          : { kind: 'refused', refusal: refuse('NOT_FOUND', 'There is no such file.') }
      },
    },
    { ...shared, id: 'docs.home', path: '/docs/', render: () => redirect(308, '/docs') },
  ]
}

async function docsPage(parts: DocsParts, { query, headers }: Visit): Promise<PageAnswer> {
  const language = languageOf(query, headers['accept-language'], 'en')
  const texts = DOCS_TEXTS[language]
  const content = documentContent({
    language,
    title: `${texts.title} · Sandgate`,
    heading: texts.title,
    lead: markup`<p class="lead">${texts.lead}</p>${ways(language, parts)}`,
    corner: languageSwitch(language, (each) => `docs?lang=${each}`),
    content: markup`<div class="cards">
${tokenCard(language, parts.demo())}
<div class="span reference">${operationList(language)}
<div class="card"><noscript><p>${texts.noScript}</p></noscript>
<rapi-doc lang="en" render-style="focused" data-first="${FIRST_SHOWN}" show-header="false" show-side-nav="false" show-info="false" allow-authentication="false" allow-server-selection="false" allow-advanced-search="false" load-fonts="false" schema-style="table" schema-expand-level="2" response-area-height="auto" default-schema-tab="example" fill-request-fields-with-example="true" sort-endpoints-by="none"></rapi-doc></div></div></div>`,
    style: STYLE,
    layout: 'wide',
    linked: [`docs/assets/${await assetName('docs')}`, `docs/assets/${await assetName('rapidoc')}`],
  })
  return { kind: 'page', status: 200, ...content }
}

function ways(language: Language, { hasPortal }: DocsParts): Markup {
  const texts = DOCS_TEXTS[language]
  return markup`<p class="ways"><a class="way" href="docs/errors">${texts.errors}</a> <a class="way" href="openapi.json">openapi.json</a> ${hasPortal && markup`<a class="way" href="portal/usage">${texts.usage}</a> `}<a class="way" href="./">${texts.start}</a></p>`
}

/** What the page's script says, in the reader's language; it stands in the page as data. */
const SAID = [
  'enterBoth',
  'fetched',
  'notLoaded',
  'whenNeeded',
  'others',
  'othersExplain',
  'body',
  'choice',
] as const

function tokenCard(language: Language, demo: DemoCredentials | undefined): Markup {
  const texts = DOCS_TEXTS[language]
  const { clientId = '', clientSecret = '' } = demo ?? {}
  const words = Object.fromEntries(SAID.map((name) => [name, texts[name]]))
  const common = markup`autocomplete="off" autocapitalize="none" spellcheck="false"`
  return markup`<section class="card span" aria-labelledby="credentials"><h2 id="credentials">${texts.credentials}</h2>
<p class="muted">${demo ? texts.demo : texts.enterOnce}</p>
<form class="token" id="token" autocomplete="off" data-words="${JSON.stringify(words)}">
<div><label for="client-id">client_id</label><input id="client-id" name="clientId" value="${clientId}" placeholder="${texts.clientId}" ${common}></div>
<div><label for="client-secret">client_secret</label><input id="client-secret" name="clientSecret" type="${demo ? 'text' : 'password'}" value="${clientSecret}" placeholder="${texts.clientSecret}" ${common}></div>
<button class="button">${texts.getToken}</button>
<output aria-live="polite">${texts.whenNeeded}</output>
</form></section>`
}

/** Every operation by its group, in the page itself: it is there before the library, and on a phone. */
function operationList(language: Language): Markup {
  const groups = new Map<string, OperationRow[]>()
  for (const row of ROWS) groups.set(row.tag, [...(groups.get(row.tag) ?? []), row])
  const lists = [...groups].map(
    ([tag, rows]) =>
      markup`<h3>${tag}</h3><ul>${rows.map(
        (row) =>
          markup`<li><a href="#${operationAnchor(row)}"><span class="verb ${row.method.toLowerCase()}">${row.method}</span> <span>${row.summary}</span></a></li>`,
      )}</ul>`,
  )
  return markup`<details class="operations card" open><summary>${DOCS_TEXTS[language].operations}</summary><nav lang="en" aria-label="${DOCS_TEXTS[language].operations}">${lists}</nav></details>`
}
