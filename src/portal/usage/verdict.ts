import { ICONS } from '../icons.ts'
import { type Markup, markup } from '../markup.ts'
import { numberText } from './format.ts'
import { capGauge, type Gauge, type Tone, windowGauge } from './gauges.ts'
import { type Scene, until } from './scene.ts'
import { groupName, productName } from './texts.ts'
import type { PortalView } from './view.ts'

type Named = { readonly name: string; readonly gauge: Gauge }

/** The first thing to know: what is used up and when it is back, else that all is well. One line each. */
export function verdict(scene: Scene, { usage, recentlyLimited }: PortalView): Markup {
  const { texts } = scene
  const caps = usage.caps.map((cap) => ({ name: productName(texts, cap.product), gauge: capGauge(cap) }))
  const windows = usage.rateLimits.map((window) => ({
    name: groupName(texts, window.group),
    gauge: windowGauge(window),
  }))
  const has = (named: readonly Named[], tone: Tone) => named.filter(({ gauge }) => gauge.tone === tone)
  const lines = [
    ...has(caps, 'out').map((each) => line(scene, 'bad', texts.capOut, each)),
    ...has(windows, 'out').map((each) => line(scene, 'bad', texts.windowOut, each)),
    ...limitedLine(scene, recentlyLimited),
    ...has(caps, 'near').map((each) => line(scene, 'wait', texts.capNear, each)),
  ]
  if (lines.length > 0) return markup`<ul class="verdict">${lines}</ul>`
  const isUntouched =
    usage.history.length === 0 && [...caps, ...windows].every(({ gauge }) => gauge.used === 0)
  const [text, tail] = isUntouched
    ? [texts.untouched, markup` <a href="/">${texts.firstCall}</a>`]
    : [texts.allWell, undefined]
  return markup`<ul class="verdict"><li class="good">${ICONS.check}<span>${text}${tail}</span></li></ul>`
}

function line(
  scene: Scene,
  tone: 'bad' | 'wait',
  what: (name: string) => string,
  { name, gauge }: Named,
): Markup {
  const { backIn } = scene.texts
  return markup`<li class="${tone}">${ICONS[tone === 'bad' ? 'pause' : 'warning']}<span><strong>${what(name)}</strong>, ${backIn} ${until(scene, gauge.resetAt)}</span></li>`
}

function limitedLine({ texts, language }: Scene, count: number): readonly Markup[] {
  if (count === 0) return []
  const text = count === 1 ? texts.limitedOne : texts.limitedMany(numberText(language, count))
  return [markup`<li class="wait">${ICONS.warning}<span>${text}</span></li>`]
}
