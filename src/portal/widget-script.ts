import { inline } from './document.ts'

/**
 * What the page does beyond HTML; it works without. The countdown runs on the page's own clock from the time that
 * was left when it was made, so the reader's clock may be wrong; it is announced twice, not every second.
 */
export const WIDGET_SCRIPT = inline(`(() => {
  const one = (selector) => document.querySelector(selector)
  const problems = one('#problems')
  // Elsewhere the browser does it by itself, also without this script.
  if (problems && !('autofocus' in HTMLElement.prototype)) problems.focus()

  const form = one('[data-form]')
  const button = form && form.querySelector('button')
  const label = button && button.querySelector('[data-label]')
  const send = label && label.textContent
  let sent = false
  const setSent = (now) => {
    sent = now
    button.setAttribute('aria-disabled', String(now))
    label.textContent = now ? button.dataset.sending : send
  }
  if (form) {
    form.addEventListener('submit', (event) => {
      if (sent) return event.preventDefault()
      setSent(true)
      // A reader who stopped the page may try again; the session takes one decision anyway.
      setTimeout(() => setSent(false), 10000)
    })
    const phone = one('#phone'), other = one('#other')
    if (other) phone.addEventListener('input', () => { other.checked = true })
  }

  const timer = one('[data-left]')
  if (!timer) return
  const end = Date.now() + Number(timer.dataset.left) * 1000
  const spoken = one('[data-spoken]')
  let last = Infinity
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000))
    const minutes = Math.floor(left / 60)
    timer.querySelector('[data-timer]').textContent = minutes + ':' + String(left % 60).padStart(2, '0')
    timer.classList.toggle('soon', left <= 60)
    for (const mark of [300, 60]) {
      if (left <= mark && last > mark && last !== Infinity) spoken.textContent = spoken.dataset['m' + mark]
    }
    last = left
    if (left > 0) return
    clearInterval(ticking)
    for (const element of document.querySelectorAll('[data-open]')) element.hidden = true
    for (const element of document.querySelectorAll('[data-expired]')) element.hidden = false
    one('#title').textContent = document.title = one('[data-expired]').dataset.expired
    one('#title').focus()
  }
  one('[data-countdown]').hidden = false
  one('[data-until]').hidden = true
  const ticking = setInterval(tick, 1000)
  tick()
  addEventListener('pageshow', (event) => {
    if (event.persisted && form) setSent(false)
    tick()
  })
})()`)
