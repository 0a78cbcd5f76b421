/**
 * The library's shadow roots in our look: its custom properties stand for ours, which follow the reader's scheme, and
 * it grows with the page in place of scrolling inside it.
 */
export const REFERENCE_STYLE = `
*, *::before, *::after {
  --bg: var(--card); --bg2: var(--card); --bg3: var(--tint); --light-bg: var(--tint);
  --fg: var(--ink); --fg2: var(--ink); --fg3: var(--muted); --light-fg: var(--muted);
  --border-color: var(--line); --light-border-color: var(--line); --code-border-color: var(--line);
  --input-bg: var(--card); --placeholder-color: var(--muted); --hover-color: var(--tint);
  --selection-bg: var(--sun-tint); --selection-fg: var(--sun-ink);
  --red: var(--danger); --light-red: var(--danger-tint); --pink: var(--danger); --light-pink: var(--danger-tint);
  --green: var(--brand); --light-green: var(--tint); --blue: var(--brand); --light-blue: var(--tint);
  --orange: var(--sun-ink); --light-orange: var(--sun-tint); --yellow: var(--sun-ink); --light-yellow: var(--sun-tint);
  --purple: var(--sun-ink); --brown: var(--sun-ink);
  --primary-color: var(--brand); --primary-color-invert: var(--on-brand); --primary-color-trans: var(--tint);
  --code-bg: var(--paper); --code-fg: var(--ink); --inline-code-fg: var(--ink);
  --code-property-color: var(--brand); --code-keyword-color: var(--danger); --code-operator-color: var(--muted);
  --border-radius: 10px; --focus-shadow: 0 0 0 3px var(--sun);
  --font-regular: var(--sans); --font-mono: var(--mono);
  --font-size-small: 13px; --font-size-mono: 14px; --font-size-regular: 16px;
}
:host { min-width: 0; height: auto; overflow: visible; background: #0000 }
.body, .main-content { height: auto; overflow: visible }
.main-content { min-width: 0 }
api-request, api-response, schema-table, schema-tree, json-tree { display: block }
.section-gap--focused-mode { padding: 0 }
h2 { font: 600 1.6rem/1.2 var(--serif); margin: 0; color: var(--ink) }
a, .m-markdown a, .m-markdown-small a { color: var(--brand); text-decoration: underline; text-underline-offset: .2em }
.tag-container, [part~="btn-clear"], [part~="btn-fill"], .expanded-endpoint-body > [style*="position:absolute"] { display: none }
.m-markdown p, .m-markdown li { line-height: 1.55 }
.m-markdown code, .m-markdown-small code { background: var(--tint); color: var(--ink); border: 0; padding: 1px 5px; border-radius: 5px }
input[type="text"], input[type="password"], select, textarea, .textarea { border: 1px solid var(--edge); color: var(--ink); background: var(--card); min-height: 36px }
.textarea { min-height: 150px; line-height: 1.5 }
.m-btn, .tab-btn { transition: none }
.m-btn { min-height: 36px; border-color: var(--edge); color: var(--brand); background: var(--card) }
.m-btn.primary { background: var(--brand); color: var(--on-brand); border-color: var(--brand) }
[part~="btn-try"] { min-height: 44px; padding: 8px 28px; font-size: 1rem }
.tab-btn { min-height: 36px; color: var(--muted) }
.tab-btn.active { color: var(--brand) }
.gray-text, .param-type, .resp-descr { color: var(--muted) }
.method-fg { padding: 3px 9px 2px; border-radius: 99px; background: var(--tint); font-size: .8125rem; letter-spacing: .04em }
[part~="label-operation-path"] { overflow-wrap: anywhere; color: var(--ink) }
.response-panel, .request-panel { font-size: var(--font-size-regular) }
:focus-visible { outline: 3px solid var(--sun); outline-offset: 2px }
@container (max-width: 500px) {
  .table .tr { flex-wrap: wrap; max-height: none !important }
  .table .key { flex: 1 1 50%; width: auto; min-width: 0 } .table .key-type { flex: 0 1 auto; width: auto }
  .table .key-descr { display: block; flex: 1 1 100% }
}
@container (max-width: 640px) {
  .m-table tr, .m-table td { display: block; width: auto !important; border: 0 }
  .m-table tr { border-top: 1px solid var(--line); padding: 6px 0 } .m-table td { padding: 2px 8px } .m-table td:empty { display: none }
  .param-name, .param-type { text-align: left; display: inline-block; margin-right: 10px }
}
`
