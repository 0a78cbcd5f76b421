import type { FieldError } from '../errors/refusal.ts'
import type { Fields } from '../operations/operation.ts'
import type { PlainTextName } from './widget-texts.ts'

/** The fields of the form that a person fills in, in their order on the page. */
export const FIELD_NAMES = [
  'phoneChoice',
  'phone',
  'firstName',
  'lastName',
  'birthDay',
  'birthMonth',
  'birthYear',
  'country',
  'documentType',
  'documentNumber',
] as const
export type FieldName = (typeof FIELD_NAMES)[number]

/** What was typed, without blanks around it; an empty text for what was left out. */
export type Typed = Readonly<Record<FieldName, string>>

/** What is wrong with a field, as the name of a text. A date is one field here: its day leads to it. */
export type FieldProblem = { readonly field: FieldName; readonly text: PlainTextName }

export const NOTHING_TYPED: Typed = typedFrom(new Map())

export function typedFrom(sent: ReadonlyMap<string, string>): Typed {
  return Object.fromEntries(FIELD_NAMES.map((name) => [name, (sent.get(name) ?? '').trim()])) as Typed
}

/**
 * The dossier for kyc.submit. A field that the page asks for goes in even when it is empty, so that the one check
 * of the interface refuses it; the document, which may be left out, only when one of its two fields is filled in.
 */
export function dossierOf(typed: Typed, knownPhone: string | undefined): Fields {
  const { firstName, lastName, country, documentType, documentNumber } = typed
  const hasDocument = documentType !== '' || documentNumber !== ''
  return {
    phone: usesKnownPhone(typed, knownPhone) ? knownPhone : tidyPhone(typed.phone),
    firstName,
    lastName,
    dateOfBirth: dateOfBirth(typed),
    country,
    ...(hasDocument && { document: { type: documentType, number: documentNumber } }),
  }
}

/** Whether the number of the session stands: it does until another one is chosen, or typed without choosing. */
export function usesKnownPhone({ phoneChoice, phone }: Typed, knownPhone: string | undefined): boolean {
  if (knownPhone === undefined || phoneChoice === 'other') return false
  return phoneChoice === 'known' || phone === ''
}

/** People write numbers in groups, copy them with invisible marks, and dial 00 for the plus sign. */
export function tidyPhone(phone: string): string {
  return phone.replace(/[\s().\-/\p{Pd}\p{Cf}]/gu, '').replace(/^00/, '+')
}

function dateOfBirth({ birthDay, birthMonth, birthYear }: Typed): string {
  if (birthDay === '' && birthMonth === '' && birthYear === '') return ''
  return `${birthYear}-${birthMonth.padStart(2, '0')}-${birthDay.padStart(2, '0')}`
}

/** The errors of the interface's check in the words of the page, in the order of its fields. */
export function problemsOf(errors: readonly FieldError[], typed: Typed): readonly FieldProblem[] {
  const problems = errors.flatMap((error) => {
    const explain = 'pointer' in error ? EXPLAIN[error.pointer] : undefined
    return explain ? [explain(typed)] : []
  })
  return problems.toSorted((a, b) => FIELD_NAMES.indexOf(a.field) - FIELD_NAMES.indexOf(b.field))
}

const EXPLAIN: Readonly<Record<string, (typed: Typed) => FieldProblem>> = {
  '#/phone': ({ phone }) => {
    if (phone === '') return { field: 'phone', text: 'phoneMissing' }
    return { field: 'phone', text: tidyPhone(phone).startsWith('+') ? 'phoneInvalid' : 'phoneNoPlus' }
  },
  '#/firstName': ({ firstName }) => ({
    field: 'firstName',
    text: firstName === '' ? 'firstNameMissing' : 'firstNameInvalid',
  }),
  '#/lastName': ({ lastName }) => ({
    field: 'lastName',
    text: lastName === '' ? 'lastNameMissing' : 'lastNameInvalid',
  }),
  '#/dateOfBirth': (typed) => ({ field: 'birthDay', text: dateProblem(typed) }),
  '#/country': () => ({ field: 'country', text: 'countryMissing' }),
  '#/document/type': () => ({ field: 'documentType', text: 'documentTypeMissing' }),
  '#/document/number': ({ documentNumber }) => ({
    field: 'documentNumber',
    text: documentNumber === '' ? 'documentNumberMissing' : 'documentNumberInvalid',
  }),
}

function dateProblem(typed: Typed): PlainTextName {
  const parts = [typed.birthDay, typed.birthMonth, typed.birthYear]
  if (parts.every((part) => part === '')) return 'dateMissing'
  if (parts.some((part) => part === '')) return 'dateIncomplete'
  const date = new Date(`${dateOfBirth(typed)}T00:00:00Z`)
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(dateOfBirth(typed))
  return isReal ? 'dateNotPast' : 'dateNotReal'
}
