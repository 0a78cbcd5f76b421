import { type HeaderValue, weightedRanges } from './accept.ts'

export const LANGUAGES = ['fr', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * The reader's preference by weight, then by order (RFC 4647 section 3.4: `fr` matches `fr-CI`). A range that
 * names a language outranks `*`, so `fr;q=0, *` is English. `otherwise` where none of ours is asked for, or any.
 */
export function preferredLanguage(acceptLanguage: HeaderValue, otherwise: Language): Language {
  // Most clients ask for none.
  if (acceptLanguage === undefined) return otherwise
  const text = String(acceptLanguage).slice(0, READ)
  if (text === last.text && otherwise === last.otherwise) return last.language
  last = { text, otherwise, language: judged(text, otherwise) }
  return last.language
}

/** Longer than what browsers send; what is longer than that is not read to its end. */
const READ = 300

/** Mostly the same as for the request before. */
let last: { readonly text: string; readonly otherwise: Language; readonly language: Language } = {
  text: '',
  otherwise: 'en',
  language: 'en',
}

function judged(acceptLanguage: string, otherwise: Language): Language {
  const ranges = weightedRanges(acceptLanguage)
  let best = { language: otherwise, quality: 0, at: Number.MAX_SAFE_INTEGER }
  for (const language of LANGUAGES) {
    const named = ranges.filter(({ range }) => range === language || range.startsWith(`${language}-`))
    const matching = named.length > 0 ? named : ranges.filter(({ range }) => range === '*')
    const [first] = matching.toSorted((a, b) => b.quality - a.quality)
    if (!first) continue
    const at = ranges.indexOf(first)
    const isEarlier = at < best.at || (at === best.at && language === otherwise)
    if (first.quality > best.quality || (first.quality === best.quality && isEarlier)) {
      best = { language, quality: first.quality, at }
    }
  }
  return best.quality > 0 ? best.language : otherwise
}

/** Beside words that would be others for another reader (RFC 9110 sections 8.5 and 12.5.5). */
export function languageHeaders(language: Language): {
  readonly 'content-language': Language
  readonly vary: 'Accept-Language'
} {
  return LANGUAGE_HEADERS[language]
}

const LANGUAGE_HEADERS = {
  fr: { 'content-language': 'fr', vary: 'Accept-Language' },
  en: { 'content-language': 'en', vary: 'Accept-Language' },
} as const
