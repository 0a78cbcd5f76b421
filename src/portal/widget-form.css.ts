/** What only the form of the widget needs. Controls are at least 48 px high, for thumbs. */
export const FORM_LOOK = `
.note { display: flex; gap: 10px; padding: 12px 14px; border-radius: 12px; background: var(--sun-tint); color: var(--sun-ink); font-size: .9375rem; line-height: 1.45 }
.left { display: inline-flex; align-items: center; gap: 8px; color: var(--gate-ink); margin-top: 14px; font-size: .9375rem; font-variant-numeric: tabular-nums }
.left.soon { color: var(--sun); font-weight: 600 }
.problems { border: 2px solid var(--danger); border-radius: 14px; background: var(--danger-tint); padding: 14px 16px }
.problems h2 { font: 600 1.0625rem/1.35 var(--sans); letter-spacing: 0; color: var(--danger) }
.problems ul { padding-left: 1.15em; margin-top: 6px }
.problems li + li { margin-top: 4px }
.problems a { padding: 4px 0; color: var(--danger) }
.fields > * + * { margin-top: 22px }
fieldset { border: 0; min-width: 0 }
fieldset.part { border-top: 1px solid var(--line); padding-top: 20px }
.part > legend { float: left; width: 100%; font: 600 1.1875rem/1.3 var(--serif); padding: 0; margin-bottom: 14px }
.part > legend + * { clear: both }
.part > * + * + * { margin-top: 18px }
label, .name { display: block; font-weight: 600; padding: 0 }
.optional { color: var(--muted); font-weight: 400; font-family: var(--sans); font-size: .9375rem }
.hint { color: var(--muted); font-size: .9375rem; margin-top: 2px }
.error { display: flex; gap: 6px; align-items: flex-start; color: var(--danger); font-weight: 600; font-size: .9375rem; line-height: 1.4; margin-top: 6px }
.error .icon { width: 18px; height: 18px; margin-top: 1px }
input, select { width: 100%; min-height: 48px; margin-top: 8px; padding: 10px 14px; border: 1px solid var(--edge); border-radius: 12px; background: var(--card); color: var(--ink); font: inherit }
select { appearance: none; padding-right: 40px; text-overflow: ellipsis; background: var(--card) url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%2377807a' stroke-width='2' stroke-linecap='round' stroke-linejoin='round'%3E%3Cpath d='m3 6 5 5 5-5'/%3E%3C/svg%3E") right 14px center / 16px no-repeat }
input:hover, select:hover { border-color: var(--brand) }
input:focus, select:focus { outline: 3px solid var(--sun); outline-offset: 1px; border-color: var(--brand) }
[aria-invalid=true] { border: 2px solid var(--danger); padding: 9px 13px }
.date { display: flex; gap: 12px; margin-top: 10px }
.date label { font-weight: 400; font-size: .9375rem; color: var(--muted) }
.date input { margin-top: 4px }
.date > * { flex: 0 1 5rem; min-width: 0 } .date > :last-child { flex-basis: 7rem }
.choice { position: relative; display: flex; align-items: center; gap: 12px; min-height: 56px; padding: 8px 14px; margin-top: 10px; border: 1px solid var(--edge); border-radius: 14px; font-weight: 500; font-variant-numeric: tabular-nums; cursor: pointer }
.choice input { appearance: none; flex: none; width: 22px; height: 22px; min-height: 0; margin: 0; padding: 0; border: 2px solid var(--edge); border-radius: 50%; background: var(--card) }
.choice input:checked { border: 7px solid var(--brand) }
.choice:has(:checked) { border-color: var(--brand); background: var(--tint); box-shadow: inset 0 0 0 1px var(--brand) }
.choice:has(:focus-visible) { outline: 3px solid var(--sun); outline-offset: 1px }
.choice input:focus { outline: 0 }
.other { margin-top: 16px }
.phones:has(#known:checked) .other { display: none }
@media (min-width: 30rem) { .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 16px } .part > .pair > * { margin-top: 0 } }
@media (max-width: 29.99rem) { .pair > * + * { margin-top: 18px } }
@media (min-width: 60rem) { .card.form { align-self: start } .left { margin-top: 20px } }
@media (forced-colors: active) { .choice input { appearance: auto } }
`
