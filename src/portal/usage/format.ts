import type { Language } from '../../http/language.ts'
import { remembered } from '../../map-entries.ts'

const LOCALE = { fr: 'fr', en: 'en-GB' } as const

/** Formats in a language, each made when it is first asked for: all of them together are a tenth of a start. */
function inBoth<T>(make: (locale: string) => T): (language: Language) => T {
  return remembered((language) => make(LOCALE[language]))
}

const utc = (options: Intl.DateTimeFormatOptions) =>
  inBoth((locale) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }))

const numbers = inBoth((locale) => new Intl.NumberFormat(locale))
const days = utc({ day: 'numeric', month: 'short' })
const times = utc({ hour: '2-digit', minute: '2-digit', hour12: false })
const clockTimes = utc({ hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })

export function numberText(language: Language, value: number): string {
  return numbers(language).format(value)
}

/** `28 Nov` */
export function dayText(language: Language, at: number): string {
  return days(language).format(at)
}

/** `09:31`, in UTC like everything else here. */
export function timeText(language: Language, at: number): string {
  return times(language).format(at)
}

/** `09:31:05` */
export function secondText(language: Language, at: number): string {
  return clockTimes(language).format(at)
}

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** What is left until an instant, in two units at most; the page's script says it the same way below an hour. */
export function durationText(language: Language, ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const units: readonly (readonly [string, number])[] =
    seconds >= DAY
      ? [
          [language === 'fr' ? 'j' : 'd', Math.floor(seconds / DAY)],
          ['h', Math.floor((seconds % DAY) / HOUR)],
        ]
      : seconds >= HOUR
        ? [
            ['h', Math.floor(seconds / HOUR)],
            ['min', Math.floor((seconds % HOUR) / MINUTE)],
          ]
        : [
            ['min', Math.floor(seconds / MINUTE)],
            ['s', seconds % MINUTE],
          ]
  const shown = units.filter(([, count], index) => count > 0 || (index === 1 && seconds < MINUTE))
  return shown.map(([unit, count]) => `${count}\u00a0${unit}`).join(' ')
}
