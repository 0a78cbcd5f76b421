import { describe, expect, it } from 'vitest'
import { DESKTOP, openReader, useBrowser } from '../support/browser.ts'
import { AWA, answerForm } from './answer-form.ts'
import { APPROVED_PHONE, REJECTED_PHONE, useWidgetGateway } from './widget-gateway.ts'

const browser = useBrowser()
const gateway = useWidgetGateway()

const RETURN_TO = 'https://partner.example.com/kyc/done?order=7'

describe('a person with the URL of a session', () => {
  it('is approved, and finds the reference and the way back to the partner', async () => {
    const { sessionId, url } = await gateway().session({ redirectUrl: RETURN_TO })
    const { page } = await openReader(browser(), gateway().url)
    await page.goto(url)
    await answerForm(page, { ...AWA, phone: '00225 07-00.00 00 01' })
    await page.getByRole('button', { name: 'Envoyer' }).click()

    await page.locator('[data-outcome=approved]').waitFor()
    const { decision } = await gateway().read(sessionId)
    expect(decision).toMatchObject({ outcome: 'approved', phone: APPROVED_PHONE, code: null })
    expect(await page.locator('main').textContent()).toContain(String(decision?.kycId))
    expect(await page.title()).toBe('Votre identité est vérifiée · Sandgate')
    const back = page.getByRole('link', { name: 'Retourner chez Baobab Finance' })
    expect(await back.getAttribute('href')).toBe(RETURN_TO)
    expect(await back.getAttribute('rel')).toBe('noreferrer')
  })

  it('is rejected with what to do next and the code for the developer', async () => {
    const { sessionId, url } = await gateway().session()
    const { page } = await openReader(browser(), gateway().url, { locale: 'en-GH' })
    await page.goto(url)
    await answerForm(page, { ...AWA, phone: REJECTED_PHONE })
    await page.getByRole('button', { name: 'Send' }).click()

    await page.locator('[data-outcome=rejected]').waitFor()
    expect((await gateway().read(sessionId)).decision).toMatchObject({
      outcome: 'rejected',
      code: 'KYC_REJECTED',
    })
    expect(await page.locator('main').textContent()).toContain('Ask Baobab Finance for a new link')
    expect(await page.getByRole('link', { name: 'Return to' }).count()).toBe(0)
    await page.getByRole('link', { name: 'KYC_REJECTED' }).click()
    await page.getByRole('heading', { name: 'Identity rejected' }).waitFor()
    expect(await page.getByRole('link', { name: 'Open the documentation' }).getAttribute('href')).toBe(
      '/docs',
    )
  })

  it('sees a number that the partner gave only masked, and is decided by it', async () => {
    const { sessionId, url } = await gateway().session({ phone: REJECTED_PHONE })
    const { page } = await openReader(browser(), gateway().url)
    await page.goto(url)
    expect(await page.locator('label:has(#known)').textContent()).toContain('+225 •••••••09')
    expect(await page.content()).not.toContain(REJECTED_PHONE.slice(4))
    expect(await page.locator('#phone').isVisible()).toBe(false)
    await answerForm(page, AWA)
    await page.getByRole('button').click()

    await page.locator('[data-outcome=rejected]').waitFor()
    expect((await gateway().read(sessionId)).decision?.phone).toBe(REJECTED_PHONE)
    expect(await page.content()).not.toContain(REJECTED_PHONE.slice(4))
  })

  it('may use another number than the one that the partner gave', async () => {
    const { sessionId, url } = await gateway().session({ phone: REJECTED_PHONE })
    const { page } = await openReader(browser(), gateway().url)
    await page.goto(url)
    await page.getByText('Utiliser un autre numéro').click()
    await answerForm(page, { ...AWA, phone: APPROVED_PHONE })
    await page.getByRole('button').click()

    await page.locator('[data-outcome=approved]').waitFor()
    expect((await gateway().read(sessionId)).decision?.phone).toBe(APPROVED_PHONE)
  })

  it('gets through from the language switch to the decision without JavaScript', async () => {
    const { url } = await gateway().session({ phone: APPROVED_PHONE })
    const { page } = await openReader(browser(), gateway().url, { javaScriptEnabled: false })
    await page.goto(url)
    expect(await page.locator('[data-until]').textContent()).toMatch(
      /^Lien valable jusqu’à [0-2][0-9]:[0-5][0-9] UTC$/,
    )
    await page.getByRole('link', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Verify your identity' }).waitFor()
    await answerForm(page, { ...AWA, firstName: '' })
    await page.getByRole('button', { name: 'Send' }).click()

    await page.locator('#problems:focus').waitFor()
    expect(await page.locator('#problems li').allInnerTexts()).toEqual(['Enter your first names.'])
    await answerForm(page, { firstName: 'Awa' })
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-outcome=approved]').waitFor()
    expect(await page.title()).toBe('Your identity is verified · Sandgate')
  })

  it('gets to the decision with the keyboard alone', async () => {
    const { url } = await gateway().session({ phone: REJECTED_PHONE })
    const { page } = await openReader(browser(), gateway().url, { viewport: DESKTOP })
    await page.goto(url)
    const { keyboard } = page
    const order: string[] = []
    const answers = new Map([
      ['phone', APPROVED_PHONE],
      ['firstName', 'Awa'],
      ['lastName', 'Koné'],
      ['birthDay', '12'],
      ['birthMonth', '4'],
      ['birthYear', '1990'],
      ['country', 'Sénégal'],
    ])
    for (let i = 0; i < 12; i++) {
      await keyboard.press('Tab')
      const id = await page.evaluate<string>('document.activeElement.id || document.activeElement.tagName')
      order.push(id)
      if (id === 'known') await keyboard.press('ArrowDown')
      await keyboard.type(answers.get(id) ?? '')
      if (id === 'BUTTON') await keyboard.press('Enter')
    }
    expect(order.slice(0, 9)).toEqual([
      'A',
      'known',
      'phone',
      'firstName',
      'lastName',
      'birthDay',
      'birthMonth',
      'birthYear',
      'country',
    ])
    await page.locator('[data-outcome=approved]').waitFor()
  })
})

describe('a session takes one decision', () => {
  it('a second submission and a reload show the first decision, and the cap is spent once', async () => {
    const before = await gateway().used()
    const { sessionId, url } = await gateway().session()
    const { context, page } = await openReader(browser(), gateway().url)
    const other = await context.newPage()
    await Promise.all([page.goto(url), other.goto(url)])
    await answerForm(page, { ...AWA, phone: APPROVED_PHONE })
    await page.getByRole('button').click()
    await page.locator('[data-outcome=approved]').waitFor()
    await answerForm(other, { ...AWA, phone: REJECTED_PHONE })
    await other.getByRole('button').click()
    await other.locator('[data-outcome=approved]').waitFor()

    const { decision } = await gateway().read(sessionId)
    for (const each of [page, other]) {
      await each.reload()
      expect(each.url()).toBe(url)
      expect(await each.locator('main').textContent()).toContain(String(decision?.kycId))
    }
    expect((await gateway().used()) - before).toBe(1)
  })

  it('a button that is pressed twice sends the form once', async () => {
    const { url } = await gateway().session({ phone: APPROVED_PHONE })
    const { page } = await openReader(browser(), gateway().url)
    let posts = 0
    let resolve = () => {}
    const answer = new Promise<void>((done) => {
      resolve = done
    })
    page.on('request', (request) => {
      if (request.method() === 'POST') posts++
    })
    await page.route(url, async (route) => {
      if (route.request().method() === 'POST') await answer
      await route.continue()
    })
    await page.goto(url)
    await answerForm(page, AWA)
    const pressed = await page.evaluate(`(async () => {
      const button = document.querySelector('button')
      button.click()
      await new Promise((done) => setTimeout(done, 100))
      button.click()
      return [button.textContent, button.getAttribute('aria-disabled')]
    })()`)
    expect(pressed).toEqual(['Envoi en cours…', 'true'])
    resolve()
    await page.locator('[data-outcome=approved]').waitFor()
    expect(posts).toBe(1)
  })
})
