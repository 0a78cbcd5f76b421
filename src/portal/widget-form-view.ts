import type { Language } from '../http/language.ts'
import { countryNames } from './countries.ts'
import { ICONS } from './icons.ts'
import { type Markup, markup } from './markup.ts'
import { maskedPhone } from './masked-phone.ts'
import { type FieldName, type FieldProblem, type Typed, usesKnownPhone } from './widget-form.ts'
import type { PlainTextName, Texts } from './widget-texts.ts'

export type FormView = {
  readonly language: Language
  readonly texts: Texts
  /** Where the form goes: the page itself, in the same language. */
  readonly action: string
  readonly token: string
  /** The number that the partner gave; shown masked. */
  readonly knownPhone: string | undefined
  readonly typed: Typed
  readonly problems: readonly FieldProblem[]
  /** A refusal that belongs to no field. */
  readonly trouble: PlainTextName | undefined
}

/** The kinds of document that are offered, by the value that the dossier carries. */
const DOCUMENTS = [
  ['national_id', 'nationalId'],
  ['passport', 'passport'],
  ['voter_card', 'voterCard'],
  ['driving_licence', 'drivingLicence'],
  ['residence_permit', 'residencePermit'],
] as const satisfies readonly (readonly [string, PlainTextName])[]

/** The form, with what was typed before and what is wrong with it. Works without a script. */
export function formView(view: FormView): Markup {
  const { texts, action, token } = view
  return markup`${summary(view)}
<form class="fields" method="post" action="${action}" novalidate data-form>
<p class="note">${ICONS.warning}<span>${texts.sandboxNote}</span></p>
${phonePart(view)}
<fieldset class="part"><legend>${texts.identity}</legend>
<div class="pair">
${textField(view, 'firstName', { autocomplete: 'given-name', maxlength: 100, required: true })}
${textField(view, 'lastName', { autocomplete: 'family-name', maxlength: 100, required: true })}
</div>
${dateField(view)}
${countryField(view)}
</fieldset>
<fieldset class="part"><legend>${texts.document} <span class="optional">${texts.optional}</span></legend>
${documentTypeField(view)}
${textField(view, 'documentNumber', { autocomplete: 'off', maxlength: 40, hint: texts.documentNumberHint, extra: markup` autocapitalize="characters" spellcheck="false"` })}
</fieldset>
<input type="hidden" name="token" value="${token}">
<button class="button" data-sending="${texts.sending}"><span data-label>${texts.send}</span>${ICONS.arrow}</button>
</form>`
}

/** Everything that is wrong, each with a link to its field. It takes the focus. */
function summary({ texts, problems, trouble }: FormView): Markup | false {
  if (trouble) {
    return markup`<div class="problems" id="problems" role="alert" tabindex="-1" autofocus><h2>${texts[trouble]}</h2></div>`
  }
  if (problems.length === 0) return false
  const heading = problems.length === 1 ? texts.oneProblem : texts.problems(String(problems.length))
  const items = problems.map(({ field, text }) => markup`<li><a href="#${field}">${texts[text]}</a></li>`)
  return markup`<div class="problems" id="problems" role="alert" tabindex="-1" autofocus aria-labelledby="problems-title"><h2 id="problems-title">${heading}</h2><ul>${items}</ul></div>`
}

function phonePart(view: FormView): Markup {
  const { texts, knownPhone, typed } = view
  const options = { autocomplete: 'tel', maxlength: 40, hint: texts.phoneHint, required: true }
  const extra = markup` type="tel" inputmode="tel"`
  if (knownPhone === undefined) return markup`<div>${textField(view, 'phone', { ...options, extra })}</div>`
  const { shown, ending } = maskedPhone(knownPhone)
  const known = usesKnownPhone(typed, knownPhone)
  return markup`<fieldset class="phones"><legend class="name">${texts.phone}</legend>
<label class="choice"><input type="radio" id="known" name="phoneChoice" value="known"${checked(known)}><span aria-hidden="true">${shown}</span><span class="hidden-text">${texts.phoneKnown(ending)}</span></label>
<label class="choice"><input type="radio" id="other" name="phoneChoice" value="other"${checked(!known)}>${texts.phoneOther}</label>
<div class="other">${textField(view, 'phone', { ...options, required: false, label: texts.phoneOtherLabel, extra })}</div>
</fieldset>`
}

type FieldOptions = {
  readonly autocomplete: string
  readonly maxlength: number
  readonly label?: string
  readonly hint?: string
  readonly required?: boolean
  readonly extra?: Markup
}

function textField(
  view: FormView,
  name: 'phone' | 'firstName' | 'lastName' | 'documentNumber',
  { autocomplete, maxlength, label, hint, required, extra }: FieldOptions,
): Markup {
  const { texts, typed } = view
  return markup`<div><label for="${name}">${label ?? texts[name]}</label>
${hintLine(name, hint)}${errorLine(view, name)}
<input id="${name}" name="${name}" value="${typed[name]}" autocomplete="${autocomplete}" maxlength="${maxlength}"${extra}${required && markup` required`}${described(view, name, hint)}></div>`
}

/** Three short fields: a calendar is a slow way back to a year of birth. */
function dateField(view: FormView): Markup {
  const { texts, typed } = view
  const part = (
    name: 'birthDay' | 'birthMonth' | 'birthYear',
    label: string,
    autocomplete: string,
    length: number,
  ) =>
    markup`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${typed[name]}" inputmode="numeric" autocomplete="${autocomplete}" maxlength="${length}" required${invalid(view, 'birthDay')}></div>`
  return markup`<fieldset${described(view, 'birthDay', texts.dateHint, false)}><legend class="name">${texts.dateOfBirth}</legend>
${hintLine('birthDay', texts.dateHint)}${errorLine(view, 'birthDay')}
<div class="date">${part('birthDay', texts.day, 'bday-day', 2)}${part('birthMonth', texts.month, 'bday-month', 2)}${part('birthYear', texts.year, 'bday-year', 4)}</div></fieldset>`
}

function countryField(view: FormView): Markup {
  const { texts, typed, language } = view
  const { region, others } = countryNames(language)
  const options = (countries: typeof region) =>
    countries.map(({ code, name }) => option(code, name, typed.country))
  return markup`<div><label for="country">${texts.country}</label>
${errorLine(view, 'country')}
<select id="country" name="country" autocomplete="country" required${described(view, 'country')}>${option('', texts.choose, typed.country)}<optgroup label="${texts.westAfrica}">${options(region)}</optgroup><optgroup label="${texts.otherCountries}">${options(others)}</optgroup></select></div>`
}

function documentTypeField(view: FormView): Markup {
  const { texts, typed } = view
  const options = DOCUMENTS.map(([value, text]) => option(value, texts[text], typed.documentType))
  return markup`<div><label for="documentType">${texts.documentType}</label>
${errorLine(view, 'documentType')}
<select id="documentType" name="documentType"${described(view, 'documentType')}>${option('', texts.choose, typed.documentType)}${options}</select></div>`
}

function option(value: string, name: string, chosen: string): Markup {
  return markup`<option value="${value}"${value === chosen && value !== '' && markup` selected`}>${name}</option>`
}

function checked(isChecked: boolean): Markup | false {
  return isChecked && markup` checked`
}

function hintLine(name: FieldName, hint: string | undefined): Markup | false {
  return hint !== undefined && markup`<p class="hint" id="${name}-hint">${hint}</p>`
}

function errorLine({ texts, problems }: FormView, name: FieldName): Markup | false {
  const problem = problems.find(({ field }) => field === name)
  return (
    problem !== undefined &&
    markup`<p class="error" id="${name}-error">${ICONS.warning}<span>${texts[problem.text]}</span></p>`
  )
}

function invalid({ problems }: FormView, name: FieldName): Markup | false {
  return problems.some(({ field }) => field === name) && markup` aria-invalid="true"`
}

/** Hint and error belong to their control; a group carries them, its controls are marked invalid. */
function described(view: FormView, name: FieldName, hint?: string, isControl = true): Markup {
  const hasError = view.problems.some(({ field }) => field === name)
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(hasError ? [`${name}-error`] : [])].join(
    ' ',
  )
  return markup`${ids !== '' && markup` aria-describedby="${ids}"`}${isControl && invalid(view, name)}`
}
