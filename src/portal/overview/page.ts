import { documentContent, inline } from '../document.ts'
import { ICONS } from '../icons.ts'
import { LIVE_SCRIPT } from '../live-script.ts'
import { LOOK } from '../look.css.ts'
import { type Markup, markup } from '../markup.ts'
import type { PageContent } from '../page.ts'
import { numberText, secondText, timeText } from '../usage/format.ts'
import { WIDE_LOOK } from '../wide.css.ts'
import type { Overview, PartnerOverview } from './facts.ts'

const STYLE = inline(`${LOOK}${WIDE_LOOK}
.hero .ways a { font-size: .9375rem }
.states { list-style: none; padding: 0; display: grid; gap: 18px }
.state { display: grid; grid-template-columns: auto 1fr; gap: 2px 14px; align-items: start; align-content: start }
.state .icon { grid-row: 1 / 3; width: 40px; height: 44px; padding: 9px 8px; border-radius: 20px 20px 10px 10px; background: var(--tint); color: var(--brand) }
.state.bad .icon { background: var(--danger-tint); color: var(--danger) } .state.wait .icon { background: var(--sun-tint); color: var(--sun-ink) }
.state strong { font-weight: 600 } .state p { color: var(--muted); font-size: .9375rem; min-width: 0; overflow-wrap: anywhere }
.state.bad p { color: var(--danger) }
td.hot { color: var(--danger); font-weight: 600 } td.near { color: var(--sun-ink); font-weight: 600 }
th small, td small { color: var(--muted); font-size: .8125rem; font-weight: 400; margin-left: 6px }
@media (max-width: 39.99rem) { .rest { display: none } th small, td small { display: block; margin: 0 } th, td { padding-left: 10px; white-space: normal } }
@media (min-width: 40rem) { .states { grid-template-columns: 1fr 1fr } }
@media (min-width: 60rem) { .states { grid-template-columns: repeat(4, 1fr) } }
`)

/** More would hide the ones that matter, which come first. */
const PARTNERS_SHOWN = 100

/** The operator's first page, in English like everything else of the operator's. */
export function overviewPage(overview: Overview): PageContent {
  const { now, version, publicUrl } = overview
  return documentContent({
    language: 'en',
    title: 'Operator overview · Sandgate',
    heading: new URL(publicUrl).host,
    lead: markup`<div data-live="verdict">${verdict(overview)}</div>
<p class="fresh"><span data-live="as-of">As of ${secondText('en', now)} UTC</span> <span>Version ${version}</span> <a href="${publicUrl}">What partners see</a></p>
<p class="stale" role="status" data-stale="The gateway does not answer; these figures are old. Trying again shortly."></p>`,
    badge: 'Operator',
    corner: markup`<nav class="ways" aria-label="More"><a href="/metrics">Metrics</a> <a href="/readyz">Health</a> <a href="${publicUrl}/docs">Docs</a></nav>`,
    content: markup`<div class="cards"><div class="span" data-live="state">${stateCard(overview)}</div>
<div class="span" data-live="partners">${partnersCard(overview)}</div></div>`,
    style: STYLE,
    script: LIVE_SCRIPT,
    refreshes: true,
    layout: 'wide',
  })
}

/** What needs somebody now, one line each; else that nothing does. */
function verdict(overview: Overview): Markup {
  const { store, configuration, upstream, recordings, isDraining, isOverloaded, partners } = overview
  const troubles = [
    isDraining && 'It is shutting down: new requests are refused.',
    isOverloaded && 'It has more to do than it can: requests are refused with 503.',
    store.fault !== undefined && 'The store takes no writes: whatever needs a key or a cap is refused.',
    !configuration.ok && 'The configuration on disk has mistakes: the one before stays in use.',
    upstream?.breaker === 'open' && 'The upstream fails: what it decides is refused with 502 for a moment.',
    recordings.some(({ state }) => state === 'bad') && 'A recording is incomplete.',
  ].filter((text) => text !== false)
  const lines = troubles.map(
    (text) => markup`<li class="bad">${ICONS.warning}<span><strong>${text}</strong></span></li>`,
  )
  const waiting = configuration.needsRestart ?? []
  const worth = [
    upstream?.breaker === 'half-open' && 'The upstream is tried again, one request at a time',
    waiting.length > 0 && `Only a restart takes: ${waiting.join(', ')}`,
    named('Answered with 429 lately', partners, ({ rateLimited }) => rateLimited > 0),
    named('At a cap', partners, ({ tightest }) => (tightest?.percentUsed ?? 0) >= 100),
  ].filter((text) => text !== false)
  lines.push(...worth.map((text) => markup`<li class="wait">${ICONS.warning}<span>${text}</span></li>`))
  const good = markup`<li class="good">${ICONS.check}<span>All in order.</span></li>`
  return markup`<ul class="verdict">${lines.length > 0 ? lines : good}</ul>`
}

const NAMED = 3

/** The partners that something is true of, the first few by name. */
function named(
  what: string,
  partners: readonly PartnerOverview[],
  isOne: (partner: PartnerOverview) => boolean,
): string | false {
  const names = partners.filter(isOne).map(({ name }) => name)
  if (names.length === 0) return false
  const more = names.length - NAMED
  return `${what}: ${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function stateCard({ store, configuration, decides, upstream, recordings, inFlight }: Overview): Markup {
  const bad = recordings.filter(({ state }) => state === 'bad')
  const errors = configuration.errors ?? []
  const requests = `${numberText('en', inFlight)} ${inFlight === 1 ? 'request' : 'requests'} in flight`
  return markup`<section class="card" aria-labelledby="state"><h2 id="state">State</h2>
<ul class="states">
${state(store.fault === undefined, 'Store', store.fault ?? `${store.engine}: takes writes`)}
${state(configuration.ok, 'Configuration', configuration.ok ? inForce(configuration.needsRestart) : `The last good one is in use. ${errors.join(' ')}`)}
${state(upstream?.breaker !== 'open', 'Upstream', `${decides === 'remote' ? decidedBy(upstream?.breaker) : 'None: the simulator decides'}. ${requests}`)}
${state(bad.length === 0, 'Recordings', recordings.length === 0 ? 'Nothing is being recorded' : recordings.map(recordingText).join(' · '))}
</ul></section>`
}

function inForce(waiting: readonly string[] = []): string {
  if (waiting.length === 0) return 'The files on disk are in force'
  return `The files on disk are in force, but for ${waiting.join(', ')}`
}

function decidedBy(breaker: string | undefined): string {
  if (breaker === 'open') return 'An upstream decides, and it fails: it is left alone for a moment'
  if (breaker === 'half-open') return 'An upstream decides, and is tried again after it failed'
  return 'An upstream decides'
}

function state(isGood: boolean, name: string, text: string): Markup {
  return markup`<li class="state ${isGood ? 'good' : 'bad'}">${isGood ? ICONS.check : ICONS.warning}<strong>${name}${!isGood && markup`<span class="hidden-text">: needs attention</span>`}</strong><p>${text}</p></li>`
}

function recordingText({
  name,
  partner,
  state: is,
  exchanges,
  fault,
}: Overview['recordings'][number]): string {
  const whom = partner === null ? 'everybody' : partner
  return `${name} (${whom}): ${fault ?? `${is}, ${numberText('en', exchanges)} exchanges`}`
}

function partnersCard({ partners, since }: Overview): Markup {
  const sorted = partners.toSorted(
    (one, other) => other.rateLimited - one.rateLimited || other.requests - one.requests,
  )
  const quieter = sorted.length - PARTNERS_SHOWN
  return markup`<section class="card" aria-labelledby="partners">
<div><h2 id="partners">Partners</h2><p class="muted">Since ${timeText('en', since)} UTC, those with the most 429s first.</p></div>
${sorted.length === 0 ? markup`<p>No partner is configured.</p>` : table(sorted.slice(0, PARTNERS_SHOWN))}
${quieter > 0 && markup`<p class="muted">And ${numberText('en', quieter)} quieter ones.</p>`}
</section>`
}

function table(partners: readonly PartnerOverview[]): Markup {
  const rows = partners.map(
    ({ id, name, requests, rateLimited, refused, tightest }) =>
      markup`<tr><th scope="row">${name} <small><code>${id}</code></small></th>${cell(requests)}${cell(rateLimited, rateLimited > 0 && 'hot')}${cell(refused, 'rest')}${capCell(tightest)}</tr>`,
  )
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Partners"><table><thead><tr><th scope="col">Partner</th><th scope="col">Requests</th><th scope="col">429</th><th scope="col" class="rest">Other refusals</th><th scope="col">Tightest cap</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

function cell(value: number, tone?: string | false): Markup {
  const name = `${tone || ''} ${value === 0 ? 'zero' : ''}`
  return markup`<td class="${name.trim()}">${numberText('en', value)}</td>`
}

function capCell(tightest: PartnerOverview['tightest']): Markup {
  if (!tightest) return markup`<td class="zero">none</td>`
  const { product, percentUsed } = tightest
  const tone = percentUsed >= 100 ? 'hot' : percentUsed >= 80 ? 'near' : percentUsed === 0 ? 'zero' : ''
  return markup`<td class="${tone}">${percentUsed}% <small><code>${product}</code></small></td>`
}
