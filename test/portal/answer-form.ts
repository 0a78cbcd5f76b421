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

const INPUTS = {
  phone: 'phone',
  firstName: 'firstName',
  lastName: 'lastName',
  day: 'birthDay',
  month: 'birthMonth',
  year: 'birthYear',
  documentNumber: 'documentNumber',
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

/** Fills in what is given and leaves the rest as it is. */
export async function answerForm(page: Page, answers: Answers): Promise<void> {
  for (const [name, input] of Object.entries(INPUTS)) {
    const value = answers[name as keyof typeof INPUTS]
    if (value !== undefined) await page.locator(`#${input}`).fill(value)
  }
  if (answers.country !== undefined) await page.locator('#country').selectOption(answers.country)
  if (answers.documentType !== undefined)
    await page.locator('#documentType').selectOption(answers.documentType)
}
