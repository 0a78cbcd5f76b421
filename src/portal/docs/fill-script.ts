import { EXAMPLE_KEY } from '../../operations/openapi-headers.ts'

/**
 * In the reader's browser: what a request needs is there before it is sent. A fresh Idempotency-Key for each attempt,
 * the ids of what was made last in the place of the examples, and what the reader has typed, which the library would
 * replace by the example again when it draws itself anew.
 */
export const FILL_SCRIPT = `
  const EXAMPLE_KEY = ${JSON.stringify(EXAMPLE_KEY)}
  const BODY = 'textarea.request-body-param-user-input'
  const made = {}
  const typed = new Map()
  const keys = new Map()

  // crypto.randomUUID is missing where the page comes over plain HTTP.
  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    bytes[6] = (bytes[6] & 0x0f) | 0x40
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }

  function remember(answer) {
    for (const [name, value] of Object.entries(answer || {}))
      if (/^[a-z]+Id$/.test(name) && name !== 'requestId' && typeof value === 'string') made[name] = value
  }

  // The library uses one element for many operations, so a field is known by its operation and its name.
  function operationOf(control) {
    const { host } = control.getRootNode()
    return host.getAttribute('method') + ' ' + host.getAttribute('path')
  }

  function fieldOf(control) {
    return operationOf(control) + ' ' + (control.dataset.pname || 'body ' + control.dataset.example)
  }

  function fill(root) {
    for (const input of root.querySelectorAll('input[data-pname]')) put(input, valueOf(input))
    for (const area of root.querySelectorAll(BODY)) put(area, typed.get(fieldOf(area)) ?? bodyOf(area.value))
  }

  function put(control, value) {
    if (value !== undefined && control.value !== value) control.value = value
  }

  function valueOf(input) {
    const own = typed.get(fieldOf(input))
    if (own !== undefined) return own
    if (input.dataset.ptype === 'path') return made[input.dataset.pname]
    if (input.dataset.pname !== 'Idempotency-Key') return undefined
    const operation = operationOf(input)
    if (!keys.has(operation)) keys.set(operation, uuid())
    return keys.get(operation)
  }

  function bodyOf(text) {
    try {
      const body = JSON.parse(text)
      const names = Object.keys(body).filter((name) => made[name] !== undefined && body[name] !== made[name])
      if (names.length === 0) return undefined
      for (const name of names) body[name] = made[name]
      return JSON.stringify(body, null, 2)
    } catch {
      return undefined
    }
  }

  function keepTyped(event) {
    const control = event.composedPath()[0]
    if (control.matches('input[data-pname], ' + BODY)) typed.set(fieldOf(control), control.value)
  }

  // The next attempt is another request, with a key of its own, unless the reader has typed one.
  function renewKey(root) {
    const input = root.querySelector('input[data-pname="Idempotency-Key"]')
    if (input) keys.delete(operationOf(input))
    fill(root)
  }
`
