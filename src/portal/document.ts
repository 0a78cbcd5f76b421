import { createHash } from 'node:crypto'
import { type Language, languageHeaders } from '../http/language.ts'
import { FAVICON, GATE, MARK } from './icons.ts'
import { type Markup, markup } from './markup.ts'
import type { PageContent } from './page.ts'

/** A style sheet or script that stands in the page itself, allowed by its digest alone. */
export type Inline = { readonly text: Markup; readonly source: string }

export function inline(text: string): Inline {
  const digest = createHash('sha256').update(text).digest('base64')
  return { text: { html: text }, source: `'sha256-${digest}'` }
}

export type Document = {
  readonly language: Language
  /** For the window; `heading` is what the page shows. */
  readonly title: string
  readonly heading: string
  /** Beneath the heading, on the coloured ground. */
  readonly lead: Markup
  /** At the upper right. */
  readonly corner?: Markup
  /** Beside the name, in place of the word that says that this is a sandbox. */
  readonly badge?: string
  readonly content: Markup
  readonly style: Inline
  readonly script?: Inline
  /** Scripts of ours that are fetched, in their order. What they draw stands in a main of its own and brings styles along. */
  readonly linked?: readonly string[]
  /** The script asks for its own page again. */
  readonly refreshes?: boolean
  /** `wide`: the title above, and many cards beneath it. By default one card beside the title. */
  readonly layout?: 'wide'
  /** `same-origin` lets the server see that a form came from its own page. By default nothing is told to anybody. */
  readonly referrer?: 'same-origin'
}

/**
 * A whole page: nothing from outside, nothing inline but what the policy's digests name, never in a frame (a
 * framed page could be overlaid), never in a search engine, and its address (a session's URL) goes nowhere.
 */
export function documentContent(document: Document): PageContent {
  const { language, title, heading, lead, content, style, script, layout, referrer, linked } = document
  const { html } = markup`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#0b3f37">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
<link rel="icon" href="${FAVICON}">
<style>${style.text}</style>
${linked?.map(
  (src) => markup`<script src="${src}" defer></script>
`,
)}</head>
<body>
<${linked ? NO_MAIN : MAIN} class="page${layout && ` ${layout}`}">
<header class="hero">
${GATE}
<div class="bar"><span class="brand">${MARK}Sandgate <span class="badge">${document.badge ?? SANDBOX[language]}</span></span>${document.corner}</div>
<h1 id="title" tabindex="-1">${heading}</h1>
${lead}
</header>
${content}
</${linked ? NO_MAIN : MAIN}>
${script && markup`<script>${script.text}</script>`}
</body>
</html>
`
  return {
    headers: {
      ...HEADERS,
      ...languageHeaders(language),
      'content-security-policy': policy(document),
      'referrer-policy': referrer ?? 'no-referrer',
    },
    body: html,
  }
}

const MAIN: Markup = { html: 'main' }
const NO_MAIN: Markup = { html: 'div' }

const SANDBOX: Readonly<Record<Language, string>> = { fr: 'Test', en: 'Sandbox' }

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'x-robots-tag': 'noindex, nofollow',
}

function policy({ style, script, linked, refreshes = false }: Document): string {
  if (linked) return LINKED_POLICY
  return [
    "default-src 'none'",
    `style-src ${style.source}`,
    ...(script ? [`script-src ${script.source}`] : []),
    ...(refreshes ? ["connect-src 'self'"] : []),
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Scripts come from us, and nothing inline runs; a form is read by a script and never sent with a secret in an address. */
const LINKED_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
