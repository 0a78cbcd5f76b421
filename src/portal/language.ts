import { type HeaderValue, weightedRanges } from '../http/accept.ts'

export const LANGUAGES = ['fr', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

/** Most people who open the widget live where French is spoken. */
const DEFAULT: Language = 'fr'

/** The language that a link asked for (`?lang=en`), if it is one of ours. */
export function askedLanguage(query: string): Language | undefined {
  const asked = new URLSearchParams(query).get('lang')
  return LANGUAGES.find((language) => language === asked)
}

/** The language of a page: what the link asks for, else the reader's own order, else French. */
export function languageOf(query: string, acceptLanguage: HeaderValue): Language {
  return askedLanguage(query) ?? preferredLanguage(acceptLanguage)
}

/**
 * The reader's preference by weight, then by order (RFC 4647 section 3.4: `fr` matches `fr-CI`). A range that
 * names a language outranks `*`, so `fr;q=0, *` is English.
 */
export function preferredLanguage(acceptLanguage: HeaderValue): Language {
  const ranges = weightedRanges(acceptLanguage)
  let best = { language: DEFAULT, quality: 0, at: Number.MAX_SAFE_INTEGER }
  for (const language of LANGUAGES) {
    const named = ranges.filter(({ range }) => range === language || range.startsWith(`${language}-`))
    const matching = named.length > 0 ? named : ranges.filter(({ range }) => range === '*')
    const [first] = matching.toSorted((a, b) => b.quality - a.quality)
    if (!first) continue
    const at = ranges.indexOf(first)
    if (first.quality > best.quality || (first.quality === best.quality && at < best.at)) {
      best = { language, quality: first.quality, at }
    }
  }
  return best.quality > 0 ? best.language : DEFAULT
}
