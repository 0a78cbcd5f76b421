import type { Page } from '../support/browser.ts'

export type Answers = {
  readonly phone?: string
  readonly firstName?: string
  readonly lastName?: string
  readonly day?: string
  readonly month?: string
  readonly year?: string
  readonly country?: string
  readonly documentType?: string
  readonly documentNumber?: string
}

const FIELDS = {
  phone: 'phone',
  firstName: 'firstName',
  lastName: 'lastName',
  day: 'birthDay',
  month: 'birthMonth',
  year: 'birthYear',
  documentNumber: 'documentNumber',
  country: 'country',
  documentType: 'documentType',
} as const

/** Everything but the phone, as a person would give it. */
export const AWA: Answers = {
  firstName: 'Awa',
  lastName: 'Koné',
  day: '12',
  month: '4',
  year: '1990',
  country: 'CI',
}

/**
 * Fills in what is given and leaves the rest as it is, all at once: to type into one field after the other takes longer
 * than everything else on the page. Only what a person sees and can change is filled in.
 */
export async function answerForm(page: Page, answers: Answers): Promise<void> {
  const values = Object.entries(FIELDS).flatMap(([name, id]) => {
    const value = answers[name as keyof typeof FIELDS]
    return value === undefined ? [] : [[id, value]]
  })
  await page.waitForLoadState()
  await page.evaluate(`(${fillIn})(${JSON.stringify(values)})`)
}

/** In the page. */
const fillIn = `(values) => {
  for (const [id, value] of values) {
    const field = document.getElementById(id)
    if (!field?.checkVisibility() || field.matches(':disabled, :read-only:not(select)'))
      throw new Error('nobody can fill in ' + id)
    field.value = value
    if (field.value !== value) throw new Error(id + ' does not take ' + value)
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
  }
}`
