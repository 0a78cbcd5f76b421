import type { Language } from '../http/language.ts'
import { type Markup, markup } from './markup.ts'

/** The other language of each, as its own readers call it. */
const OTHER = {
  fr: { language: 'en', name: 'English' },
  en: { language: 'fr', name: 'Français' },
} as const satisfies Readonly<Record<Language, { readonly language: Language; readonly name: string }>>

/** The link to the same page in the other language. `addressIn`: the page's address in a language, from the root. */
export function languageSwitch(language: Language, addressIn: (language: Language) => string): Markup {
  const { language: other, name } = OTHER[language]
  return markup`<a class="switch" href="${addressIn(other)}" hreflang="${other}" lang="${other}">${name}</a>`
}
