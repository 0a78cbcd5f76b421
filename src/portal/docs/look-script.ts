/**
 * In the reader's browser: the library's own shadow roots in our look, and its controls with names. Its colours are
 * custom properties; ours are inherited into every root and follow the reader's scheme.
 */
export const LOOK_SCRIPT = `
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(REFERENCE_STYLE)

  function dress(root) {
    if (root.adoptedStyleSheets.includes(sheet)) return
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
    new MutationObserver(() => tidy(root)).observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ['value', 'class', 'data-tab'] })
    root.addEventListener('input', keepTyped)
    tidy(root)
  }

  function tidy(root) {
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) dress(element.shadowRoot)
    for (const control of root.querySelectorAll('input, select, textarea')) name(control)
    fill(root)
    for (const button of root.querySelectorAll('.tab-btn, .m-btn')) {
      const isChosen = button.matches('.active, .primary[part~="btn-selected-response-status"]')
      if (button.matches('.tab-btn, [part~="btn-response-status"]')) set(button, 'aria-pressed', String(isChosen))
    }
    for (const scroller of root.querySelectorAll('pre, .response-message, .tab-content')) {
      if (scroller.scrollWidth > scroller.clientWidth || scroller.scrollHeight > scroller.clientHeight) set(scroller, 'tabindex', '0')
    }
  }

  function name(control) {
    if (control.ariaLabel || control.labels?.length > 0) return
    const text = control.dataset.pname || control.getAttribute('placeholder')
    set(control, 'aria-label', text || (control.matches('textarea') ? WORDS.body : WORDS.choice))
  }

  function set(element, attribute, value) {
    if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value)
  }
`
