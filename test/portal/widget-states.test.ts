import { describe, expect, it } from 'vitest'
import { accessibilityViolations, openReader, type Page, PHONE, useBrowser } from '../support/browser.ts'
import { AWA, answerForm } from './answer-form.ts'
import { APPROVED_PHONE, REJECTED_PHONE, useWidgetGateway } from './widget-gateway.ts'

const browser = useBrowser()
const gateway = useWidgetGateway()

describe('a form that cannot be accepted', () => {
  const BAD = { phone: '0700000001', firstName: '', lastName: '<b>"K&', day: '31', month: '2', year: '1990' }

  it.each([
    {
      locale: 'fr-CI',
      title: 'Erreur – Vérifiez votre identité · Sandgate',
      messages: [
        'Commencez par le signe + et l’indicatif du pays, par exemple +225 07 00 00 00 01.',
        'Indiquez vos prénoms.',
        'Cette date de naissance n’existe pas : vérifiez le jour, le mois et l’année à quatre chiffres.',
        'Choisissez votre pays dans la liste.',
        'Indiquez le numéro de la pièce choisie, ou ne choisissez aucune pièce.',
      ],
    },
    {
      locale: 'en-NG',
      title: 'Error – Verify your identity · Sandgate',
      messages: [
        'Start with a plus sign and the country code, for example +225 07 00 00 00 01.',
        'Enter your first names.',
        'This date of birth does not exist: check the day, the month and the four-digit year.',
        'Choose your country from the list.',
        'Enter the number of the document you chose, or choose no document.',
      ],
    },
  ])(
    'names every field, takes the focus and keeps what was typed ($locale)',
    async ({ locale, title, messages }) => {
      const { url } = await gateway().session()
      const { page } = await openReader(browser(), gateway().url, { locale })
      await page.goto(url)
      await answerForm(page, { ...BAD, documentType: 'passport' })
      await page.getByRole('button').click()

      await page.locator('#problems:focus').waitFor()
      expect(plain(await page.title())).toBe(title)
      expect((await page.locator('#problems li').allInnerTexts()).map(plain)).toEqual(messages)
      for (const [id, message] of [
        ['firstName', messages[1]],
        ['country', messages[3]],
      ] as const) {
        const field = page.locator(`#${id}`)
        expect(await field.getAttribute('aria-invalid')).toBe('true')
        const described = await field.getAttribute('aria-describedby')
        expect(await page.locator(`#${described}`).textContent()).toBe(message)
      }
      expect(await page.locator('#lastName').inputValue()).toBe(BAD.lastName)
      expect(await page.locator('#birthDay').inputValue()).toBe('31')
      expect(await page.locator('#documentType').inputValue()).toBe('passport')
      await page.locator('#problems a').nth(2).click()
      expect(await page.evaluate('document.activeElement.id')).toBe('birthDay')
    },
  )

  it('spends nothing from the cap and can be corrected', async () => {
    const before = await gateway().used()
    const { url } = await gateway().session({ phone: APPROVED_PHONE })
    const { page } = await openReader(browser(), gateway().url)
    await page.goto(url)
    await answerForm(page, { ...AWA, year: '2999' })
    await page.getByRole('button').click()
    await page.getByText('La date de naissance doit être dans le passé.').first().waitFor()
    expect(await gateway().used()).toBe(before)
    await answerForm(page, { year: '1999' })
    await page.getByRole('button').click()
    await page.locator('[data-outcome=approved]').waitFor()
    expect(await gateway().used()).toBe(before + 1)
  })
})

describe('the end of a session', () => {
  it('is counted down on the page, announced twice, and closes the form', async () => {
    const { url } = await gateway().session()
    const { page } = await openReader(browser(), gateway().url, { hasClock: true })
    await page.goto(url)
    await page.clock.pauseAt(Date.now() + 1000)
    const spoken = page.locator('[data-spoken]')
    const timer = page.getByRole('timer')
    await page.clock.runFor(590_000)
    expect(await timer.textContent()).toMatch(/^5:0[5-9]$/)
    expect(await spoken.textContent()).toBe('')
    await page.clock.runFor(10_000)
    expect(await spoken.textContent()).toBe('Il reste 5 min pour envoyer le formulaire.')
    await page.clock.runFor(239_000)
    expect(await spoken.textContent()).toBe('Il reste 1 min pour envoyer le formulaire.')
    await page.clock.runFor(70_000)
    await page.locator('#title:focus').waitFor()
    expect(await page.locator('#title').textContent()).toBe('Ce lien a expiré')
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.getByText('Demandez un nouveau lien à Baobab Finance').isVisible()).toBe(true)
  })

  it('answers 410 with what to do, also to a form that was open', async () => {
    const { url } = await gateway().session({
      phone: APPROVED_PHONE,
      redirectUrl: 'https://partner.example.com/',
    })
    const { page } = await openReader(browser(), gateway().url)
    await page.goto(url)
    await answerForm(page, AWA)
    await gateway().advance(899)
    expect((await page.context().request.get(url)).status()).toBe(200)
    await gateway().advance(1)
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button').click()
    expect((await answered).status()).toBe(410)
    await page.getByRole('heading', { name: 'Ce lien a expiré' }).waitFor()
    expect(await page.getByRole('link', { name: 'Retourner chez Baobab Finance' }).isVisible()).toBe(true)
    expect((await page.reload())?.status()).toBe(410)
  })
})

describe.each([
  { colorScheme: 'light', rule: undefined },
  { colorScheme: 'dark', rule: 'color-contrast' },
] as const)('every state in the $colorScheme scheme', ({ colorScheme, rule }) => {
  it('has no serious accessibility fault, fits 320 px and has targets for thumbs', async () => {
    const { page } = await openReader(browser(), gateway().url, {
      colorScheme,
      viewport: { ...PHONE, width: 320 },
      locale: colorScheme === 'light' ? 'fr' : 'en',
    })
    await page.goto((await gateway().session({ phone: REJECTED_PHONE })).url)
    await expectGoodState(page, 'the form with a known number', rule)
    await page.locator('label:has(#other)').click()
    await answerForm(page, { ...AWA, firstName: '', documentNumber: '1' })
    await page.getByRole('button').click()
    await page.locator('#problems').waitFor()
    await expectGoodState(page, 'the form with errors', rule)
    await page.locator('label:has(#known)').click()
    await answerForm(page, { ...AWA, documentNumber: '' })
    await page.getByRole('button').click()
    await page.locator('[data-outcome=rejected]').waitFor()
    await expectGoodState(page, 'a rejection', rule)

    const open = await gateway().session({
      phone: APPROVED_PHONE,
      redirectUrl: 'https://partner.example.com/',
    })
    await page.goto(open.url)
    await answerForm(page, AWA)
    await page.getByRole('button').click()
    await page.locator('[data-outcome=approved]').waitFor()
    await expectGoodState(page, 'an approval', rule)
    await gateway().advance(900)
    await page.reload()
    await expectGoodState(page, 'an expired session', rule)
    await page.goto(`${gateway().url}/kyc/widget/kws_unknown`)
    await expectGoodState(page, 'an unknown session', rule)
    await page.goto(`${gateway().url}/docs/errors/KYC_REJECTED`)
    await expectGoodState(page, 'the page of an error code', rule)
  })
})

const TARGETS = '.button, .switch, .choice, input:not([type=hidden], [type=radio]), select'

async function expectGoodState(page: Page, state: string, rule?: string): Promise<void> {
  expect(await accessibilityViolations(page, { rule }), state).toEqual([])
  const tooSmall = await page.evaluate(`[...document.querySelectorAll('${TARGETS}')]
    .map((target) => target.getBoundingClientRect())
    .filter(({ width, height }) => height > 0 && (height < 44 || width < 44)).length`)
  expect(tooSmall, state).toBe(0)
  expect(await page.evaluate('document.documentElement.scrollWidth'), state).toBeLessThanOrEqual(320)
}

function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ')
}
