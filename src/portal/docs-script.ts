import { COMMON_HEADERS, EXAMPLE_KEY } from '../operations/openapi-headers.ts'

/**
 * What runs in the reader's browser. It shows the document of the gateway it came from, fetches a token when an
 * operation needs one, and gives each POST an Idempotency-Key of its own. Nothing is kept beyond the page.
 */
export const DOCS_SCRIPT = `'use strict'
{
  const EXAMPLE_KEY = ${JSON.stringify(EXAMPLE_KEY)}
  const COMMON_HEADERS = ${JSON.stringify(COMMON_HEADERS)}
  const base = new URL('.', location.href).href.replace(/\\/$/, '')
  const form = document.getElementById('sg-token')
  const output = form.querySelector('output')
  let token
  let validUntil = 0

  const say = (text, kind) => {
    output.textContent = text
    output.dataset.kind = kind
  }

  async function fetchToken() {
    const { clientId, clientSecret } = form.elements
    if (clientId.value === '' || clientSecret.value === '') {
      say('Enter client_id and client_secret first.', 'bad')
      return undefined
    }
    const response = await fetch(base + '/auth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId.value, client_secret: clientSecret.value }),
    })
    const answer = await response.json()
    if (!response.ok) {
      say((answer.code || 'Error') + ': ' + (answer.error_description || answer.detail), 'bad')
      return undefined
    }
    token = answer.access_token
    validUntil = Date.now() + (answer.expires_in - 30) * 1000
    say('Token fetched; it is good until ' + new Date(validUntil).toLocaleTimeString() + '.', 'good')
    return token
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    fetchToken().catch((error) => say(String(error), 'bad'))
  })
  form.addEventListener('input', () => {
    token = undefined
    say('A token is fetched when an operation needs one.', '')
  })

  // crypto.randomUUID is missing where the page comes over plain HTTP.
  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    bytes[6] = (bytes[6] & 0x0f) | 0x40
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }

  async function requestInterceptor(request) {
    if (!request.url.startsWith(base + '/') || request.loadSpec) return request
    const exchange = request.url === base + '/auth/token'
    const headers = request.headers || {}
    const key = headers['Idempotency-Key']
    if (!exchange && request.method === 'POST' && (!key || key === EXAMPLE_KEY)) {
      headers['Idempotency-Key'] = uuid()
    }
    if (!exchange && !headers.Authorization) {
      const current = token !== undefined && Date.now() < validUntil ? token : await fetchToken()
      if (current !== undefined) headers.Authorization = 'Bearer ' + current
    }
    request.headers = headers
    return request
  }

  // The token comes from the form above, so Swagger UI's own dialogs would only be a second way.
  const withoutDialogs = () => ({
    wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null },
  })

  // What every response carries is said in the introduction, and an error is best shown by its example. The
  // rest would be repeated for each of some 15 responses of an operation.
  function lighten(spec) {
    const refusals = Object.values(spec.components?.responses ?? {})
    for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path))) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) >= 400) refusals.push(response)
        else forget(response)
      }
    }
    for (const refusal of refusals) {
      forget(refusal)
      for (const media of Object.values(refusal.content ?? {})) delete media.schema
    }
  }
  function forget(response) {
    for (const name of COMMON_HEADERS) delete response.headers?.[name]
  }

  async function show() {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
    paint()
    dark.addEventListener('change', paint)
    const spec = await (await fetch(base + '/openapi.json')).json()
    // The gateway that the reader is looking at, whichever of its names was typed.
    spec.servers = [{ url: base }]
    lighten(spec)
    const key = spec.components?.parameters?.IdempotencyKey
    if (key) key.description += ' This page sends a fresh one each time, unless you type one of your own.'
    window.ui = SwaggerUIBundle({
      spec,
      domNode: document.getElementById('sg-reference'),
      plugins: [withoutDialogs],
      requestInterceptor,
      deepLinking: true,
      filter: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      validatorUrl: null,
      supportedSubmitMethods: ['get', 'post'],
    })
  }

  show().catch((error) => say('The reference could not be loaded: ' + error, 'bad'))
}
`
