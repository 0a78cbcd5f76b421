/** What only the page of the reference needs. */
export const DOCS_LOOK = `
.wide .hero .lead { margin-top: 8px; max-width: 46rem } .wide .hero .ways { margin-top: 6px }
.token { display: grid; gap: 14px; align-items: end }
.token output { font-size: .9375rem; color: var(--muted) }
.token output[data-kind=good] { color: var(--brand) } .token output[data-kind=bad] { color: var(--danger) }
.token input { font-family: var(--mono); font-size: .9375rem }
.reference { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px }
.reference > .card { padding: 20px }
.reference > .card { min-width: 0 }
rapi-doc { display: block; min-height: 60vh }
.operations summary { cursor: pointer; font: 600 1.25rem/1.2 var(--serif); min-height: 44px; display: flex; align-items: center; gap: 10px }
.operations summary::before { content: ""; width: 9px; height: 9px; border: solid var(--muted); border-width: 0 2px 2px 0; transform: rotate(-45deg); margin-left: 2px }
.operations[open] summary::before { transform: rotate(45deg) }
.operations h3 { margin: 14px 0 2px; font: 600 .8125rem/1.3 var(--sans); color: var(--muted) }
.operations ul { list-style: none }
.operations a { display: flex; gap: 10px; align-items: baseline; padding: 9px 8px; margin: 0 -8px; border-radius: 10px; color: var(--ink); text-decoration: none; line-height: 1.3 }
.operations a:hover { background: var(--tint) }
.operations a[aria-current] { background: var(--tint); color: var(--brand); font-weight: 600 }
.verb { flex: none; width: 4.4em; font: 600 .6875rem/1.3 var(--mono); color: var(--brand) } .verb.get { color: var(--muted) } .verb.delete { color: var(--danger) }
@media (min-width: 60rem) {
  .token { grid-template-columns: 1fr 1fr auto } .token output { grid-column: 1 / -1 } .token .button { width: auto; min-height: 48px; padding: 10px 22px }
  .reference { grid-template-columns: 17.5rem minmax(0, 1fr); gap: 20px; align-items: start }
  .cards > .reference > .card { grid-column: auto; height: auto } .reference > .card:not(.operations) { padding: 28px 32px }
  .operations { position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow-y: auto; scrollbar-width: thin } .operations summary { display: none }
}
`
