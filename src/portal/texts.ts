import type { Language } from '../http/language.ts'

type Text = string | ((value: string) => string)

/** What a page says, in every language of ours. A text may have one place for a value. */
export type TextTable = Readonly<Record<string, Readonly<Record<Language, Text>>>>

/** The texts of a table in one language. */
export type TextsOf<T extends TextTable> = {
  readonly [N in keyof T]: T[N]['fr' | 'en'] extends string ? string : (value: string) => string
}

/** The names of texts that need nothing filled in. */
export type PlainNames<T> = { [N in keyof T]: T[N] extends string ? N : never }[keyof T]

/** The table by language. */
export function inLanguages<T extends TextTable>(table: T): Readonly<Record<Language, TextsOf<T>>> {
  return { fr: inLanguage(table, 'fr'), en: inLanguage(table, 'en') }
}

function inLanguage<T extends TextTable>(table: T, language: Language): TextsOf<T> {
  const texts = Object.entries(table).map(([name, each]) => {
    const text = each[language]
    return [
      name,
      typeof text === 'string' ? shown(text, language) : (value: string) => shown(text(value), language),
    ]
  })
  return Object.fromEntries(texts) as TextsOf<T>
}

/** A text of a reader's language as a page shows it: in French with a no-break space before the high punctuation. */
export function shown(text: string, language: Language): string {
  return language === 'fr' ? spaced(text) : text
}

function spaced(text: string): string {
  return text.replaceAll(/ (?=[:;?!–%])/g, '\u00a0')
}
