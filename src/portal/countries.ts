import { LANGUAGES, type Language } from '../http/language.ts'
import { COUNTRIES } from '../operations/countries.ts'

export type CountryName = { readonly code: string; readonly name: string }
type Names = { readonly region: readonly CountryName[]; readonly others: readonly CountryName[] }

/** The countries that most readers of the widget live in; they stand first. */
const REGION = new Set('BF BJ CI CV GH GM GN GW LR ML MR NE NG SL SN TG'.split(' '))

/** Every country that the interface knows, by name, in a language. */
export function countryNames(language: Language): Names {
  return NAMES[language]
}

const NAMES = Object.fromEntries(LANGUAGES.map((language) => [language, named(language)])) as Record<
  Language,
  Names
>

function named(language: Language): Names {
  const display = new Intl.DisplayNames(language, { type: 'region' })
  const { compare } = new Intl.Collator(language)
  const all = [...COUNTRIES]
    .map((code) => ({ code, name: display.of(code) ?? code }))
    .sort((a, b) => compare(a.name, b.name))
  return {
    region: all.filter(({ code }) => REGION.has(code)),
    others: all.filter(({ code }) => !REGION.has(code)),
  }
}
