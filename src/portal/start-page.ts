import type { DemoCredentials } from '../config/demo.ts'
import { prefersHtml } from '../http/accept.ts'
import { documentContent, inline } from './document.ts'
import { ICONS, type IconName } from './icons.ts'
import { languageOf } from './language.ts'
import { languageSwitch } from './language-switch.ts'
import { LOOK, SIDE_BY_SIDE } from './look.css.ts'
import { type Markup, markup } from './markup.ts'
import type { Page, PageAnswer, Visit } from './page.ts'
import { SNIPPET_LOOK } from './snippet.css.ts'
import { inLanguages, type TextTable } from './texts.ts'
import { USAGE_PATH } from './usage/addresses.ts'

export type StartParts = {
  /** Scheme, host and port, without a slash at the end. */
  readonly publicUrl: () => string
  /** The published key, while this gateway is for its reader's own machine. */
  readonly demo: () => DemoCredentials | undefined
  /** A gateway that replays has no portal. */
  readonly hasPortal: boolean
}

const STYLE = inline(`${LOOK}${SIDE_BY_SIDE}${SNIPPET_LOOK}
.links { list-style: none; padding: 0; display: grid; gap: 10px }
.links a { display: flex; gap: 14px; align-items: center; min-height: 56px; padding: 10px 14px; border: 1px solid var(--line); border-radius: 14px; text-decoration: none; color: var(--ink) }
.links a:hover { border-color: var(--brand); background: var(--tint) }
.links .icon { color: var(--brand) } .links strong { display: block } .links span span { color: var(--muted); font-size: .9375rem }
@media (min-width: 60rem) { .page > .card { width: min(46rem, calc(100% - 64px)) } }
`)

const TEXTS = inLanguages({
  title: { fr: 'Sandbox partenaire', en: 'Partner sandbox' },
  lead: {
    fr: 'Comptes, identité, paiements en XOF, crédit et score : intégrez-les ici, sans argent réel.',
    en: 'Accounts, identity, payments in XOF, credit and score: integrate them here, without real money.',
  },
  firstCall: { fr: 'Un premier appel', en: 'A first call' },
  firstCallExplain: {
    fr: 'Un jeton, puis un paiement. Un montant qui finit par 77 réussit, un montant qui finit par 00 échoue.',
    en: 'A token, then a payment. An amount that ends in 77 succeeds, one that ends in 00 fails.',
  },
  keyFromOperator: {
    fr: 'Votre opérateur vous donne l’identifiant de clé et la clé sandbox.',
    en: 'Your operator gives you the key id and the sandbox key.',
  },
  snippetName: { fr: 'Commandes du premier appel', en: 'The commands of a first call' },
  docs: { fr: 'Documentation interactive', en: 'Interactive documentation' },
  docsExplain: {
    fr: 'Essayer chaque opération dans le navigateur',
    en: 'Try every operation in the browser',
  },
  portal: { fr: 'Votre consommation', en: 'Your usage' },
  portalExplain: {
    fr: 'Ce qu’il vous reste, et ce qui n’a pas marché',
    en: 'What is left, and what went wrong',
  },
  errors: { fr: 'Codes d’erreur', en: 'Error codes' },
  errorsExplain: { fr: 'Quand chacun arrive, et que faire', en: 'When each happens, and what to do' },
  openApiExplain: { fr: 'Pour générer un client', en: 'To generate a client from' },
} as const satisfies TextTable)

/** What stands at the root: a page for a person, a few links for everybody else. */
export function startPage(parts: StartParts): Page {
  return {
    id: 'start',
    method: 'GET',
    path: '/',
    group: 'other',
    isDocument: true,
    render: (visit) => (prefersHtml(visit.headers.accept) ? page(parts, visit) : links(parts)),
  }
}

function links({ publicUrl, hasPortal }: StartParts): PageAnswer {
  const url = publicUrl()
  const body = {
    name: 'Sandgate partner sandbox',
    token: `${url}/auth/token`,
    docs: `${url}/docs`,
    openapi: `${url}/openapi.json`,
    errors: `${url}/docs/errors`,
    ...(hasPortal && { usage: `${url}${USAGE_PATH}` }),
  }
  return {
    kind: 'page',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

function page({ publicUrl, demo, hasPortal }: StartParts, { query, headers }: Visit): PageAnswer {
  const language = languageOf(query, headers['accept-language'])
  const texts = TEXTS[language]
  const credentials = demo()
  const link = (icon: IconName, href: string, name: string, explain: string): Markup =>
    markup`<li><a href="${href}">${ICONS[icon]}<span><strong>${name}</strong> <span>${explain}</span></span></a></li>`
  const content = documentContent({
    language,
    title: `${texts.title} · Sandgate`,
    heading: texts.title,
    lead: markup`<p class="lead">${texts.lead}</p>`,
    corner: languageSwitch(language, (each) => `/?lang=${each}`),
    content: markup`<div class="card">
<h2>${texts.firstCall}</h2>
<p>${texts.firstCallExplain}</p>
<pre class="snippet" tabindex="0" role="region" aria-label="${texts.snippetName}">${firstCall(publicUrl(), credentials)}</pre>
${credentials === undefined && markup`<p class="muted">${texts.keyFromOperator}</p>`}
<ul class="links">
${hasPortal && link('chart', USAGE_PATH, texts.portal, texts.portalExplain)}
${link('document', '/docs', texts.docs, texts.docsExplain)}
${link('question', '/docs/errors', texts.errors, texts.errorsExplain)}
${link('arrow', '/openapi.json', 'openapi.json', texts.openApiExplain)}
</ul></div>`,
    style: STYLE,
  })
  return { kind: 'page', status: 200, ...content }
}

/** Each command by itself, to paste. */
function firstCall(url: string, demo: DemoCredentials | undefined): string {
  const { clientId, clientSecret } = demo ?? { clientId: 'key_…', clientSecret: 'sk_sandbox_…' }
  return `TOKEN=$(curl -s ${url}/auth/token \\
  -d client_id=${clientId} \\
  -d client_secret=${clientSecret} |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

curl -i ${url}/v1/payments/fund \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: $(uuidgen || cat /proc/sys/kernel/random/uuid)" \\
  -H "Content-Type: application/json" \\
  -d '{"amount": 5077}'
`
}
