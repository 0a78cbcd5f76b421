import type { ErrorCode, ErrorEntry } from '../errors/catalogue.ts'
import { documentContent, inline } from './document.ts'
import { LOOK, SIDE_BY_SIDE } from './look.css.ts'
import { type Markup, markup } from './markup.ts'
import type { PageContent } from './page.ts'

const STYLE = inline(LOOK + SIDE_BY_SIDE)

/** What the `type` of a problem leads to: one page for each code. */
export function errorPage(code: ErrorCode, entry: ErrorEntry): PageContent {
  const { status, title, cause, resolution } = entry
  return referencePage({
    title: `${code} · Sandgate`,
    heading: title,
    lead: markup`<p class="lead"><code>${code}</code></p>`,
    content: markup`<dl class="facts">
<dt>Status</dt><dd>HTTP ${status}${status === 200 && ' (a decision, not a failure of the request)'}</dd>
<dt>When it happens</dt><dd>${cause}</dd>
<dt>What to do</dt><dd>${resolution}</dd>
</dl>`,
  })
}

/** There is no page for a code that does not exist. */
export function unknownErrorPage(detail: string): PageContent {
  return referencePage({
    title: 'Not found · Sandgate',
    heading: 'Nothing here',
    lead: markup`<p class="lead">The reference has no such page.</p>`,
    content: markup`<p>${detail}</p>`,
  })
}

function referencePage(page: { title: string; heading: string; lead: Markup; content: Markup }): PageContent {
  return documentContent({
    ...page,
    content: markup`<div class="card">${page.content}<p><a class="button" href="/docs">Open the documentation</a></p></div>`,
    language: 'en',
    badge: 'Sandbox',
    style: STYLE,
  })
}
