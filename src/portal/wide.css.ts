/** A page of many cards beneath its title, one column on a phone and two on a desk. */
export const WIDE_LOOK = `
.wide .hero { padding: 20px max(20px, 50% - 36.5rem) 64px }
.wide .hero h1 { margin: 14px 0 2px; max-width: 24ch; font-size: clamp(1.75rem, 1.3rem + 2vw, 2.5rem) }
.wide .gate { right: max(-60px, 50% - 39rem); bottom: 24px; width: 260px }
.corner { display: flex; align-items: center; gap: 6px 14px }
.quiet { display: inline-flex; align-items: center; gap: 8px; min-height: 44px; padding: 0 14px; border: 1px solid #fbf4e459; border-radius: 12px; background: #0000; color: var(--gate-ink); font: 600 .9375rem/1 var(--sans); cursor: pointer }
.quiet:hover { background: #ffffff1a }
.verdict { list-style: none; margin-top: 14px; display: grid; gap: 8px; max-width: 46rem }
.verdict li { display: flex; gap: 10px; align-items: flex-start; color: var(--gate-ink); font-size: 1.0625rem; line-height: 1.4 }
.verdict .icon { margin-top: 2px; color: var(--sun) }
.verdict .bad strong { color: #ffb49f } .verdict .bad .icon { color: #ffb49f }
.verdict .good .icon { color: #84d3bb }
.fresh { display: flex; flex-wrap: wrap; align-items: center; gap: 0 14px; margin-top: 10px; color: var(--gate-soft); font-size: .875rem; font-variant-numeric: tabular-nums }
.fresh a { display: inline-flex; align-items: center; gap: 6px; min-height: 44px } .fresh .icon { width: 16px; height: 16px }
.stale { color: var(--sun); font-size: .9375rem } .stale:empty { display: none }
.cards { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; margin: -36px auto 0; padding: 0 12px; max-width: 76rem; position: relative }
.cards .card { margin: 0; height: 100%; width: auto }
.card-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 16px }
.small { font-size: .875rem }
.chip { display: inline-block; padding: 3px 8px; border-radius: 99px; background: var(--tint); color: var(--ink); font: 600 .8125rem/1.2 var(--sans); font-variant-numeric: tabular-nums }
.scroll { overflow-x: auto; border-radius: 8px }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9375rem }
caption { text-align: left; font-weight: 600; padding: 0 0 6px }
th, td { text-align: right; padding: 7px 0 7px 16px; border-top: 1px solid var(--line); white-space: nowrap; font-weight: 400 }
thead th { border: 0; color: var(--muted); font-size: .8125rem; vertical-align: bottom; white-space: normal }
th:first-child { text-align: left; padding-left: 0 }
td.zero { color: var(--muted) }
@media (min-width: 60rem) {
  .verdict li { font-size: 1.125rem }
  .wide .hero { padding-top: 24px; padding-bottom: 84px }
  .cards { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 20px; margin-top: -56px; padding: 0 24px 24px; max-width: 76rem }
  .cards > .span, .cards > .span > .card { grid-column: 1 / -1 }
  .cards .card { padding: 28px 32px }
}
@media (max-width: 29.99rem) { .wide .badge { display: none } .quiet { padding: 0 12px } .quiet span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) } }
@media (min-width: 60rem) { .wide .gate { bottom: 48px } .wide .hero::after { inset: 0 0 auto } }
`
