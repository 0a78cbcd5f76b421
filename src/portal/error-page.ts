import type { ErrorCode, ErrorEntry } from '../errors/catalogue.ts'
import { documentContent, inline } from './document.ts'
import { LOOK, SIDE_BY_SIDE } from './look.css.ts'
import { type Markup, markup } from './markup.ts'
import type { PageContent } from './page.ts'
import { WIDE_LOOK } from './wide.css.ts'

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

const INDEX_STYLE = inline(`${LOOK}${WIDE_LOOK}
.codes { list-style: none; padding: 0; display: grid; gap: 0 32px }
.codes li { padding: 12px 0; border-top: 1px solid var(--line) } .codes a { font-weight: 600; overflow-wrap: anywhere }
.cards section + section { margin-top: 0 }
@media (min-width: 60rem) { .codes { grid-template-columns: 1fr 1fr } }
`)

const KINDS = [
  ['contract', 'Of the partner interface'],
  ['decision', 'Decisions, which come with HTTP 200'],
  ['gateway', 'Of the gateway in front of it'],
  ['replay', 'Of a replay'],
] as const satisfies readonly (readonly [ErrorEntry['kind'], string])[]

/** Every code, with what it means; each leads to its page. */
export function errorIndex(catalogue: Readonly<Record<string, ErrorEntry>>): PageContent {
  const entries = Object.entries(catalogue)
  const sections = KINDS.map(([kind, title]) => {
    const items = entries
      .filter(([, entry]) => entry.kind === kind)
      .map(
        ([code, entry]) =>
          markup`<li><a href="/docs/errors/${code}"><code>${code}</code></a> <span class="chip">${entry.status}</span><br>${entry.title}</li>`,
      )
    return markup`<section class="card span" aria-labelledby="${kind}"><h2 id="${kind}">${title}</h2><ul class="codes">${items}</ul></section>`
  })
  return documentContent({
    title: 'Error codes · Sandgate',
    heading: 'Error codes',
    lead: markup`<p class="lead">Branch on the code; its page says when it happens and what to do.</p>`,
    corner: markup`<a class="switch" href="/docs">Documentation</a>`,
    content: markup`<div class="cards">${sections}</div>`,
    language: 'en',
    style: INDEX_STYLE,
    layout: 'wide',
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
    content: markup`<div class="card">${page.content}<p class="ways"><a class="button" href="/docs">Open the documentation</a> <a class="way" href="/docs/errors">All error codes</a></p></div>`,
    language: 'en',
    style: STYLE,
  })
}
