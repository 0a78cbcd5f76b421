import type { HistoryView } from '../../operations/usage-view.ts'
import { type Markup, markup } from '../markup.ts'
import type { Resolution } from './addresses.ts'
import { USAGE_PATH } from './addresses.ts'
import { dayText, numberText, timeText } from './format.ts'
import type { Scene } from './scene.ts'
import { byOperation, type Slot, slotsOf, sum } from './series.ts'
import type { PortalView } from './view.ts'

/** Requests, 429s and decisions by hour or by day, drawn and as a table. */
export function activityCard(scene: Scene, { usage: { history }, resolution }: PortalView): Markup {
  const { texts, addresses } = scene
  const slots = slotsOf(history, resolution, scene.now)
  const tab = (to: Resolution, text: string) =>
    markup`<a href="${addresses.view(USAGE_PATH, { history: to === 'days' ? to : '' })}#activity"${to === resolution && markup` aria-current="true"`}>${text}</a>`
  const chart = (title: string, parts: readonly Part[]) => chartOf(scene, resolution, slots, title, parts)
  return markup`<section class="card activity" aria-labelledby="activity">
<div class="card-head"><h2 id="activity">${texts.activity}</h2>
<nav class="tabs" aria-label="${texts.period}">${tab('hours', texts.byHour)}${tab('days', texts.byDay)}</nav></div>
<div class="charts">
${chart(texts.chartRequests, [{ tone: 'calm', of: ({ requests }) => requests }])}
${chart(texts.chartLimited, [{ tone: 'bad', of: ({ rateLimited }) => rateLimited }])}
${chart(texts.chartDecisions, [
  { tone: 'calm', name: texts.accepted, of: ({ accepted }) => accepted },
  { tone: 'sun', name: texts.declined, of: ({ declined }) => declined },
])}
</div>
${operationsTable(scene, history)}
${slotsTable(scene, resolution, slots)}
</section>`
}

type Part = {
  readonly tone: 'calm' | 'bad' | 'sun'
  /** For the legend, where there is more than one part. */
  readonly name?: string
  readonly of: (slot: Slot) => number
}

const HEIGHT = 64
const STEP = 10
const BAR = 8
/** A bar that stands for something is seen. */
const LEAST = 2

function chartOf(
  scene: Scene,
  resolution: Resolution,
  slots: readonly Slot[],
  title: string,
  parts: readonly Part[],
): Markup {
  const { texts, language } = scene
  const total = (slot: Slot) => sum(parts, ({ of }) => of(slot))
  const most = Math.max(...slots.map(total))
  const all = sum(slots, total)
  const span = resolution === 'hours' ? texts.anHour : texts.aDay
  const peak = most > 0 && `${texts.atMost} ${numberText(language, most)} ${span}`
  const legend =
    parts.length > 1 &&
    all > 0 &&
    markup`<p class="legend">${parts.map(({ tone, name, of }) => markup`<span class="${tone}">${numberText(language, sum(slots, of))} ${name}</span> `)}</p>`
  const first = slots[0]?.start ?? scene.now
  return markup`<figure class="chart">
<figcaption><span>${title}</span> <strong>${numberText(language, all)}</strong> <span class="peak">${peak}</span></figcaption>
<svg viewBox="0 0 ${slots.length * STEP} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${slots.map((slot, index) => bars(scene, resolution, slot, index, parts, most))}</svg>
<p class="axis" aria-hidden="true"><span>${slotText(scene, resolution, first)}</span><span>${texts.now}</span></p>
${legend}</figure>`
}

function bars(
  scene: Scene,
  resolution: Resolution,
  slot: Slot,
  index: number,
  parts: readonly Part[],
  most: number,
): Markup {
  let top = HEIGHT
  const rects = parts.flatMap(({ tone, name, of }) => {
    const value = of(slot)
    if (value === 0) return []
    const height = Math.max(LEAST, Math.round((value / most) * (HEIGHT - LEAST * parts.length)))
    top -= height
    const text = `${slotText(scene, resolution, slot.start)} · ${numberText(scene.language, value)}${name === undefined ? '' : ` ${name}`}`
    return [
      markup`<rect class="${tone}" x="${index * STEP + 1}" y="${top}" width="${BAR}" height="${height}"><title>${text}</title></rect>`,
    ]
  })
  return markup`${rects}`
}

function slotText({ language }: Scene, resolution: Resolution, start: number): string {
  const day = dayText(language, start)
  return resolution === 'days' ? day : `${day}, ${timeText(language, start)}`
}

const OPERATIONS_SHOWN = 20

function operationsTable({ texts, language }: Scene, history: readonly HistoryView[]): Markup {
  const totals = byOperation(history).slice(0, OPERATIONS_SHOWN)
  if (totals.length === 0) return markup`<p class="muted">${texts.nothingYet}</p>`
  const rows = totals.map(
    ({ operation, requests, rateLimited, refused }) =>
      markup`<tr><th scope="row">${operation === 'none' ? texts.noOperation : markup`<code>${operation}</code>`}</th>${cells(language, [requests, rateLimited, refused])}</tr>`,
  )
  return table(texts.byOperation, [texts.operation, texts.chartRequests, '429', texts.otherRefusals], rows)
}

function slotsTable(scene: Scene, resolution: Resolution, slots: readonly Slot[]): Markup | false {
  const { texts, language } = scene
  const busy = slots
    .filter(({ requests, accepted, declined }) => requests + accepted + declined > 0)
    .toReversed()
  if (busy.length === 0) return false
  const rows = busy.map(
    ({ start, requests, rateLimited, refused, accepted, declined }) =>
      markup`<tr><th scope="row">${slotText(scene, resolution, start)}</th>${cells(language, [requests, rateLimited, refused, accepted, declined])}</tr>`,
  )
  const head = [
    resolution === 'hours' ? texts.time : texts.day,
    texts.chartRequests,
    '429',
    texts.otherRefusals,
    texts.accepted,
    texts.declined,
  ]
  return markup`<details id="table"><summary>${texts.asTable}</summary>${table(texts.activity, head, rows)}</details>`
}

function cells(language: Scene['language'], values: readonly number[]): readonly Markup[] {
  return values.map(
    (value) => markup`<td${value === 0 && markup` class="zero"`}>${numberText(language, value)}</td>`,
  )
}

/** It scrolls sideways by itself where it does not fit; so it takes the focus. */
function table(caption: string, head: readonly string[], rows: readonly Markup[]): Markup {
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${head.map((text) => markup`<th scope="col">${text}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}
