import type { Language } from '../../http/language.ts'
import { type Markup, markup } from '../markup.ts'
import type { Addresses } from './addresses.ts'
import { durationText } from './format.ts'
import { USAGE_TEXTS, type UsageTexts } from './texts.ts'

/** What every part of the page knows: its language, its moment and its addresses. */
export type Scene = {
  readonly language: Language
  readonly texts: UsageTexts
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly addresses: Addresses
}

export function sceneOf(addresses: Addresses, now: number): Scene {
  return { language: addresses.language, texts: USAGE_TEXTS[addresses.language], now, addresses }
}

/** How long until an instant. The page's script counts it down. */
export function until({ language, now }: Scene, at: number): Markup {
  const seconds = Math.max(0, Math.ceil((at - now) / 1000))
  return markup`<time datetime="${new Date(at).toISOString()}" data-left="${seconds}">${durationText(language, at - now)}</time>`
}

/** A part of the page that the script replaces with a newer one. */
export function live(name: string, content: Markup): Markup {
  return markup`<div data-live="${name}">${content}</div>`
}
