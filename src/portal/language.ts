import type { HeaderValue } from '../http/accept.ts'
import { LANGUAGES, type Language, preferredLanguage } from '../http/language.ts'

/** Most people who open the widget live where French is spoken. */
const DEFAULT: Language = 'fr'

/** The language that a link asked for (`?lang=en`), if it is one of ours. */
export function askedLanguage(query: string): Language | undefined {
  const asked = new URLSearchParams(query).get('lang')
  return LANGUAGES.find((language) => language === asked)
}

/** The language of a page: what the link asks for, else the reader's own order, else French, or what its kind has. */
export function languageOf(
  query: string,
  acceptLanguage: HeaderValue,
  otherwise: Language = DEFAULT,
): Language {
  return askedLanguage(query) ?? preferredLanguage(acceptLanguage, otherwise)
}
