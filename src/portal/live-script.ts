import { inline } from './document.ts'

/**
 * Keeps the page true: it asks for itself every ten seconds while somebody looks, and puts the newer parts in place
 * of the older ones. What is open stays open, and a part that has the focus is left alone. Without this script the
 * page is complete, and a link brings a newer one.
 */
export const LIVE_SCRIPT = inline(`(() => {
  const EVERY = 10000
  const stale = document.querySelector('[data-stale]')
  let due = 0
  let busy = false

  const put = (next) => {
    for (const part of document.querySelectorAll('[data-live]')) {
      const newer = next.querySelector('[data-live="' + part.dataset.live + '"]')
      if (!newer || part.contains(document.activeElement)) continue
      for (const each of part.querySelectorAll('details[open][id]')) {
        const same = newer.querySelector('#' + CSS.escape(each.id))
        if (same) same.open = true
      }
      part.replaceChildren(...newer.childNodes)
    }
  }

  const refresh = async () => {
    if (busy) return
    busy = true
    let wait = EVERY
    try {
      const path = location.pathname + location.search
      const answer = await fetch(path, { headers: { accept: 'text/html' }, redirect: 'manual', cache: 'no-store' })
      // The session is over: the sign-in page says the rest.
      if (answer.type === 'opaqueredirect') return location.reload()
      if (answer.status === 429) wait = Number(answer.headers.get('retry-after') || 10) * 1000
      if (!answer.ok) throw new Error(String(answer.status))
      put(new DOMParser().parseFromString(await answer.text(), 'text/html'))
      stale.textContent = ''
    } catch {
      if (stale.textContent === '') stale.textContent = stale.dataset.stale
    } finally {
      busy = false
      due = Date.now() + wait
    }
  }

  const said = (left) => {
    const minutes = Math.floor(left / 60)
    return minutes === 0 ? left + '\\u00a0s' : minutes + '\\u00a0min' + (left % 60 ? ' ' + (left % 60) + '\\u00a0s' : '')
  }

  // The reader's clock may be wrong: what is left is counted from when the part arrived.
  const ends = new WeakMap()
  const tick = () => {
    const now = Date.now()
    for (const each of document.querySelectorAll('[data-left]')) {
      if (!ends.has(each)) ends.set(each, now + Number(each.dataset.left) * 1000)
      const left = Math.max(0, Math.ceil((ends.get(each) - now) / 1000))
      if (left < 3600) each.textContent = said(left)
      if (left === 0) due = Math.min(due, now + 500)
    }
    if (now >= due && !document.hidden) refresh()
  }
  due = Date.now() + EVERY
  setInterval(tick, 1000)
  document.addEventListener('visibilitychange', tick)
})()`)
