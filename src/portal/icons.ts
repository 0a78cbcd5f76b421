import { type Markup, markup } from './markup.ts'

/** Drawings of our own, inline: a page asks nobody else for anything. All are decoration beside a text. */
const icon = (paths: Markup): Markup =>
  markup`<svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${paths}</svg>`

export const ICONS = {
  check: icon(markup`<path d="m5 12.5 4.5 4.5L19 7.5"/>`),
  cross: icon(markup`<path d="m7 7 10 10M17 7 7 17"/>`),
  clock: icon(markup`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>`),
  warning: icon(markup`<path d="M12 4 2.8 19.5h18.4L12 4Z"/><path d="M12 10v4.5M12 17.2v.1"/>`),
  question: icon(markup`<path d="M8.8 9.2a3.2 3.2 0 1 1 4.6 2.9c-.9.5-1.4 1.1-1.4 2.1M12 17.4v.1"/>`),
  pause: icon(markup`<path d="M9.5 7v10M14.5 7v10"/>`),
  key: icon(markup`<circle cx="8" cy="15" r="4.5"/><path d="m11.5 11.5 8-8M16 7l3 3"/>`),
  search: icon(markup`<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>`),
  leave: icon(markup`<path d="M14 4H6v16h8M11 12h9M16.5 8.5 20 12l-3.5 3.5"/>`),
  again: icon(markup`<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3M19.5 3.5v4h-4"/>`),
  document: icon(markup`<path d="M6 3.5h8l4 4v13H6zM14 3.5v4h4M9 12h6M9 16h6"/>`),
  chart: icon(markup`<path d="M4 20h16M7 20v-6M12 20V6M17 20v-9"/>`),
  arrow: icon(markup`<path d="M5 12h14M13 6l6 6-6 6"/>`),
}

export type IconName = keyof typeof ICONS

/** The mark: a gate in an arch with the sun in it. */
export const MARK: Markup = markup`<svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false"><path d="M3 29V16a13 13 0 0 1 26 0v13h-6V16.5a7 7 0 0 0-14 0V29z" fill="currentColor"/><circle cx="16" cy="21.5" r="4.5" fill="#e9a94d"/></svg>`

/** The gate behind the title: arches within arches, and the sun at the end. */
export const GATE: Markup = markup`<svg class="gate" viewBox="0 0 400 420" aria-hidden="true" focusable="false">${[
  { width: 400, tone: 'a' },
  { width: 312, tone: 'b' },
  { width: 228, tone: 'c' },
  { width: 148, tone: 'd' },
].map(({ width, tone }) =>
  arch(width, tone),
)}<circle class="sun" cx="200" cy="362" r="37"/><path class="sand" d="M0 388c70-16 128-20 200-12s134 8 200-6v50H0z"/></svg>`

function arch(width: number, tone: string): Markup {
  const left = 200 - width / 2
  const spring = 20 + (400 - width) / 2 + width / 2
  return markup`<path class="arch ${tone}" d="M${left} 420V${spring}a${width / 2} ${width / 2} 0 0 1 ${width} 0V420z"/>`
}

/** The mark as an icon of the browser's tab; a data URL, so that nothing is fetched. */
export const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M3 29V16a13 13 0 0 1 26 0v13h-6V16.5a7 7 0 0 0-14 0V29z" fill="#0b5d4f"/><circle cx="16" cy="21.5" r="4.5" fill="#d98b2b"/></svg>',
)}`
