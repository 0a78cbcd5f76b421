import type { CapView, RateLimitView, UsageView } from '../../operations/usage-view.ts'
import { type Markup, markup } from '../markup.ts'
import { dayText, numberText } from './format.ts'
import { capGauge, type Gauge, windowGauge } from './gauges.ts'
import { type Scene, until } from './scene.ts'
import { groupName, productName } from './texts.ts'

/** The caps of a partner: what is left of each, and when it comes back. */
export function capsCard(scene: Scene, { caps }: UsageView): Markup {
  const { texts } = scene
  const rows = caps.map((cap) => capRow(scene, cap))
  return markup`<section class="card caps" aria-labelledby="caps">
<div><h2 id="caps">${texts.caps}</h2><p class="muted">${texts.capsExplain}</p></div>
${rows.length === 0 ? markup`<p>${texts.noCaps}</p>` : markup`<ul class="gauges">${rows}</ul>`}
</section>`
}

function capRow(scene: Scene, cap: CapView): Markup {
  const { language, texts } = scene
  const gauge = capGauge(cap)
  const unit = cap.unit === 'amount' ? 'XOF' : texts.calls
  const amount = (value: number) => `${numberText(language, value)}\u00a0${unit}`
  const again = cap.period === 'day' ? texts.newDay : texts.newMonth(dayText(language, gauge.resetAt))
  const period = cap.period === 'day' ? texts.perDay : texts.perMonth
  const held = gauge.reserved > 0 && ` (${texts.held(amount(gauge.reserved))})`
  return gaugeRow(scene, gauge, {
    name: productName(texts, cap.product),
    code: cap.product,
    amount,
    foot: markup`<span>${numberText(language, gauge.used)} / ${amount(gauge.limit)} ${period}${held}</span>
<span>${again} ${until(scene, gauge.resetAt)}</span>`,
  })
}

/** The rate-limit windows that the caller is counted in. */
export function limitsCard(scene: Scene, { rateLimits }: UsageView): Markup {
  const { texts } = scene
  return markup`<section class="card limits" aria-labelledby="limits">
<div><h2 id="limits">${texts.limits}</h2><p class="muted">${texts.limitsExplain}</p></div>
<ul class="gauges">${rateLimits.map((window) => windowRow(scene, window))}</ul>
</section>`
}

function windowRow(scene: Scene, window: RateLimitView): Markup {
  const { language, texts } = scene
  const gauge = windowGauge(window)
  const scope = { partner: undefined, client: texts.perKey, ip: texts.perAddress }[window.scope]
  const count = (value: number) => numberText(language, value)
  return gaugeRow(scene, gauge, {
    name: groupName(texts, window.group),
    code: window.group,
    amount: count,
    ...(scope !== undefined && { scope }),
    ...(gauge.tone !== 'idle' && {
      foot: markup`<span>${count(gauge.used)} / ${count(gauge.limit)}</span>
<span>${texts.windowEnds} ${until(scene, gauge.resetAt)}</span>`,
    }),
  })
}

type Row = {
  readonly name: string
  readonly code: string
  /** Whom it counts, where that is not the partner. */
  readonly scope?: string
  readonly amount: (value: number) => string
  readonly foot?: Markup
}

function gaugeRow({ texts }: Scene, gauge: Gauge, { name, code, scope, amount, foot }: Row): Markup {
  const left = gauge.tone === 'out' ? texts.usedUp : texts.left(amount(gauge.left))
  return markup`<li class="gauge ${gauge.tone}" data-name="${code}">
<p class="gauge-head"><span class="gauge-name">${name} <small><code>${code}</code>${scope !== undefined && ` · ${scope}`}</small></span> <strong>${left}</strong></p>
${bar(gauge)}
${foot && markup`<p class="gauge-foot">${foot}</p>`}</li>`
}

/** Of 1000 parts. What has been used is never drawn as nothing, and what is left neither. */
const WHOLE = 1000
const LEAST = 6

/** Decoration: the numbers stand beside it. */
function bar({ limit, used, reserved, left }: Gauge): Markup {
  const taken = limit === 0 ? WHOLE : widthOf(used + reserved, limit, left)
  const held = reserved > 0 ? Math.min(taken, Math.max(LEAST, Math.round((reserved / limit) * WHOLE))) : 0
  return markup`<svg class="meter" viewBox="0 0 ${WHOLE} 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="taken" width="${taken - held}" height="10"/>${held > 0 && markup`<rect class="held" x="${taken - held}" width="${held}" height="10"/>`}</svg>`
}

function widthOf(taken: number, limit: number, left: number): number {
  if (left === 0) return WHOLE
  if (taken === 0) return 0
  return Math.min(WHOLE - LEAST, Math.max(LEAST, Math.round((taken / limit) * WHOLE)))
}
