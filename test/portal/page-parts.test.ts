import { describe, expect, it } from 'vitest'
import { prefersHtml } from '../../src/http/accept.ts'
import { preferredLanguage } from '../../src/http/language.ts'
import { markup } from '../../src/portal/markup.ts'
import { maskedPhone } from '../../src/portal/masked-phone.ts'
import { dossierOf, NOTHING_TYPED, tidyPhone } from '../../src/portal/widget-form.ts'

describe('the language of a reader', () => {
  it.each([
    ['en-US,en;q=0.9,fr;q=0.8', 'en'],
    ['fr;q=0.8, en;q=0.9', 'en'],
    ['en, fr', 'en'],
    ['fr, en', 'fr'],
    ['FR-ca', 'fr'],
    ['fr;q=0, *', 'en'],
    ['en;q=0', 'fr'],
    ['*', 'fr'],
    ['wo, en;q=nonsense', 'fr'],
    ['french, en;q=0.1', 'en'],
    ['', 'fr'],
  ])('of Accept-Language %j is %s', (header, language) => {
    expect(preferredLanguage(header, 'fr')).toBe(language)
  })
})

describe('the language of a client', () => {
  it.each([
    [undefined, 'en'],
    ['*', 'en'],
    ['wo', 'en'],
    ['fr-CI, en;q=0.5', 'fr'],
    ['en, fr', 'en'],
    ['fr;q=0, *;q=0.1', 'en'],
    ['en;q=0, *;q=0.1', 'fr'],
  ])('of Accept-Language %j is %s: English where it does not matter', (header, language) => {
    expect(preferredLanguage(header, 'en')).toBe(language)
  })
})

describe('a person in front of a browser', () => {
  it.each([
    ['text/html,application/xhtml+xml,*/*;q=0.8', true],
    ['text/*', true],
    ['text/html;q=0.3, */*;q=0.2', true],
    ['*/*', false],
    ['application/json', false],
    ['application/problem+json, text/html;q=0.9', false],
    ['text/html;q=0', false],
    ['', false],
    [undefined, false],
  ])('is told from a client by Accept %j: %s', (header, expected) => {
    expect(prefersHtml(header)).toBe(expected)
  })
})

describe('a masked number', () => {
  it.each([
    ['+2250700000001', '+225 •••••••01'],
    ['+221770000042', '+221 •••••••42'],
    ['+27710000042', '•••••••42'],
    ['+14155550142', '•••••••42'],
    ['+1234567', '•••••••67'],
  ])('of %s is %s', (phone, shown) => {
    expect(maskedPhone(phone).shown).toBe(shown)
  })
})

describe('a number as people write it', () => {
  it.each([
    ['+225 07 00 00 00 01', '+2250700000001'],
    ['00225-07.00.00.00.01', '+2250700000001'],
    ['\u202a+225\u00a007 00 00 00 01\u202c', '+2250700000001'],
    ['+1 (415) 555‑0142', '+14155550142'],
    ['07 00 00 00 01', '0700000001'],
  ])('%j is understood as %s', (written, phone) => {
    expect(tidyPhone(written)).toBe(phone)
  })
})

describe('the dossier of a form', () => {
  it('leaves out a document of which nothing is filled in, and nothing else', () => {
    const dossier = dossierOf(
      { ...NOTHING_TYPED, birthDay: '1', birthMonth: '2', birthYear: '1990' },
      undefined,
    )
    expect(dossier).toEqual({
      phone: '',
      firstName: '',
      lastName: '',
      dateOfBirth: '1990-02-01',
      country: '',
    })
    expect(dossierOf({ ...NOTHING_TYPED, documentNumber: 'C1' }, undefined).document).toEqual({
      type: '',
      number: 'C1',
    })
  })

  it.each([
    [{ phoneChoice: 'known', phone: '+221770000042' }, '+2250700000001'],
    [{ phoneChoice: 'other', phone: '+221770000042' }, '+221770000042'],
    [{ phoneChoice: 'other', phone: '' }, ''],
    [{ phoneChoice: '', phone: '' }, '+2250700000001'],
    [{ phoneChoice: '', phone: '+221770000042' }, '+221770000042'],
  ])('with a known number and %j has the number %j', (typed, phone) => {
    expect(dossierOf({ ...NOTHING_TYPED, ...typed }, '+2250700000001').phone).toBe(phone)
  })
})

describe('markup', () => {
  it('escapes what is put in, except markup', () => {
    const name = `"><script>alert('x')</script>&`
    expect(markup`<p title="${name}">${[markup`<b>${1}</b>`]}${false}${undefined}</p>`.html).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;"><b>1</b></p>',
    )
  })
})
