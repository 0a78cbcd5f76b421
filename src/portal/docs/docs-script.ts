import { FILL_SCRIPT } from './fill-script.ts'
import { FOLD_SCRIPT } from './fold-script.ts'
import { LOOK_SCRIPT } from './look-script.ts'
import { REFERENCE_STYLE } from './reference.css.ts'

/**
 * What runs in the reader's browser. It shows the document of the gateway it came from, fetches a token when an
 * operation needs one, and gives each POST an Idempotency-Key of its own. Nothing is kept beyond the page.
 */
export const DOCS_SCRIPT = `'use strict'
{
  const WORDS = JSON.parse(document.getElementById('token').dataset.words)
  const REFERENCE_STYLE = ${JSON.stringify(REFERENCE_STYLE)}
  const base = new URL('.', location.href).href.replace(/\\/$/, '')
  const form = document.getElementById('token')
  const output = form.querySelector('output')
  const reference = document.querySelector('rapi-doc')
  let token
  let validUntil = 0
${FOLD_SCRIPT}
${FILL_SCRIPT}
${LOOK_SCRIPT}
  const say = (text, kind) => {
    output.textContent = text
    output.dataset.kind = kind
  }

  const send = window.fetch.bind(window)

  async function fetchToken() {
    const { clientId, clientSecret } = form.elements
    if (clientId.value === '' || clientSecret.value === '') {
      say(WORDS.enterBoth, 'bad')
      return undefined
    }
    const response = await send(base + '/auth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId.value, client_secret: clientSecret.value }),
    })
    const answer = await response.json()
    if (!response.ok) {
      say((answer.code || 'Error') + ': ' + (answer.error_description || answer.detail), 'bad')
      return undefined
    }
    keepToken(answer)
    return token
  }

  function keepToken(answer) {
    token = answer.access_token
    validUntil = Date.now() + (answer.expires_in - 30) * 1000
    say(WORDS.fetched.replace('TIME', new Date(validUntil).toLocaleTimeString(document.documentElement.lang)), 'good')
    // Shown in the curl command of the next request, too.
    if (reference.resolvedSpec) reference.setApiKey('OAuth2', 'Bearer ' + token)
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    fetchToken().catch((error) => say(String(error), 'bad'))
  })
  form.addEventListener('input', () => {
    token = undefined
    say(WORDS.whenNeeded, '')
  })

  // The library waits for its fetch and for no listener: a token that has to be fetched first is fetched here.
  window.fetch = async (input, init) => {
    if (!(input instanceof Request) || !input.url.startsWith(base + '/')) return send(input, init)
    const request = new Request(input, init)
    const isExchange = request.url === base + '/auth/token'
    if (!isExchange) {
      const isFresh = token !== undefined && Date.now() < validUntil
      const current = isFresh ? token : await fetchToken()
      if (current !== undefined) request.headers.set('Authorization', 'Bearer ' + current)
      else request.headers.delete('Authorization')
      const key = request.headers.get('Idempotency-Key')
      if (request.method === 'POST' && (!key || key === EXAMPLE_KEY)) request.headers.set('Idempotency-Key', uuid())
    }
    const response = await send(request)
    // Revoked, or of a gateway that has begun anew: the next attempt fetches another one.
    if (response.status === 401) token = undefined
    const answer = await response.clone().json().catch(() => undefined)
    if (response.ok) {
      if (isExchange && answer?.access_token) keepToken(answer)
      else remember(answer)
    }
    return response
  }

  reference.addEventListener('after-try', (event) => renewKey(event.composedPath()[0].shadowRoot))

  const operations = document.querySelector('.operations')
  const isWide = matchMedia('(min-width: 60rem)')
  operations.open = isWide.matches

  function showWhereWeAre() {
    for (const link of operations.querySelectorAll('a')) {
      if (link.getAttribute('href') === location.hash) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
  }
  window.addEventListener('hashchange', showWhereWeAre)
  // On a phone the list closes behind the choice.
  operations.addEventListener('click', (event) => {
    if (event.target.closest('a') && !isWide.matches) operations.open = false
  })
  isWide.addEventListener('change', () => {
    operations.open = isWide.matches
  })

  async function show() {
    // The page begins at its own top, and the library scrolls to what the address names.
    if (location.hash === '') {
      history.replaceState(null, '', '#' + reference.dataset.first)
      reference.addEventListener('spec-loaded', () => setTimeout(() => scrollTo(0, 0), 50), { once: true })
    }
    showWhereWeAre()
    await customElements.whenDefined('rapi-doc')
    const response = await send(base + '/openapi.json')
    dress(reference.shadowRoot)
    await reference.loadSpec(fold(await response.json()))
  }

  show().catch((error) => say(WORDS.notLoaded + ' ' + error, 'bad'))
}
`
