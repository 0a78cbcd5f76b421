/** What only the usage page needs: gauges, charts and the list of refusals. */
export const USAGE_LOOK = `
.tenant { color: var(--gate-soft); font-size: .9375rem }
.gauges, .runs, .ids { list-style: none; padding: 0 }
.gauge + .gauge { margin-top: 18px }
.gauge-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 12px }
.gauge-name { font-weight: 600 } .gauge-name small { font-weight: 400; color: var(--muted); font-size: .8125rem }
.gauge-head strong { font-weight: 600; font-variant-numeric: tabular-nums; margin-left: auto }
.meter { display: block; width: 100%; height: 10px; margin: 5px 0; border-radius: 99px; background: var(--track); overflow: hidden }
.meter .taken { fill: var(--brand) } .meter .held { fill: var(--sun) }
.near .meter .taken { fill: var(--amber) } .out .meter .taken { fill: var(--danger) }
.near strong { color: var(--sun-ink) } .out strong { color: var(--danger) }
.idle strong { color: var(--muted); font-weight: 400 }
.gauge-foot { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 12px; color: var(--muted); font-size: .875rem; font-variant-numeric: tabular-nums }

.tabs { display: inline-flex; padding: 3px; border-radius: 12px; background: var(--track) }
.tabs a { display: inline-flex; align-items: center; min-height: 38px; padding: 0 14px; border-radius: 9px; color: var(--ink); text-decoration: none; font-size: .9375rem }
.tabs [aria-current] { background: var(--card); font-weight: 600; box-shadow: 0 1px 2px #0003 }
.charts { display: grid; gap: 22px 36px }
.chart { margin: 0 }
.chart figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 8px } .chart figcaption strong { font: 600 1.375rem/1.2 var(--serif); font-variant-numeric: tabular-nums }
.peak { margin-left: auto; color: var(--muted); font-size: .8125rem }
.chart svg { display: block; width: 100%; height: 76px; margin-top: 6px; border-bottom: 1px solid var(--edge) }
rect.calm { fill: var(--brand) } rect.bad { fill: var(--danger) } rect.sun { fill: var(--amber) }
.axis { display: flex; justify-content: space-between; color: var(--muted); font-size: .8125rem }
.legend { font-size: .875rem } .legend span { margin-right: 12px }
.legend span::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 6px; background: var(--brand) }
.legend .sun::before { background: var(--amber) }
summary { display: inline-flex; align-items: center; min-height: 44px; color: var(--brand); cursor: pointer; text-decoration: underline; text-underline-offset: .2em }

.search label { font-weight: 600 } .search .hint { color: var(--muted); font-size: .875rem; overflow-wrap: anywhere }
.search-line { display: flex; gap: 10px; margin-top: 8px }
.search-line input { flex: 1; min-width: 0; min-height: 48px; padding: 10px 14px; border: 1px solid var(--edge); border-radius: 12px; background: var(--card); color: var(--ink); font: .9375rem var(--mono) }
.search-line .button { width: auto; min-width: 0; min-height: 48px; padding: 10px 18px }
.found { padding: 14px 16px; border-radius: 14px; background: var(--sun-tint); color: var(--ink) } .found h3 { font: 600 1rem/1.3 var(--sans); color: var(--sun-ink); margin: 0 } .found > * + * { margin-top: 8px }
.found .run { border: 0; padding-bottom: 0 }
[data-live=refusals] > * + * { margin-top: 16px }
.run { padding: 14px 0; border-top: 1px solid var(--line) } .run > * + * { margin-top: 4px }
.run-head { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px } .run-head a code { font-weight: 600 }
.run-head a { padding: 3px 0 }
.id code, .ids code { font-size: .875rem; user-select: all; overflow-wrap: anywhere }
.ids { columns: 17rem; font-size: .875rem } .ids span { color: var(--muted) }
.nothing { display: flex; gap: 10px; color: var(--muted) } .nothing .icon { color: var(--brand) }
@media (max-width: 29.99rem) { .gauge-name small { display: block } .gauge-head { flex-wrap: nowrap } .gauge-head strong { text-align: right } }
@media (min-width: 60rem) { .charts { grid-template-columns: repeat(3, minmax(0, 1fr)) } .search { max-width: 36rem } }
@media (forced-colors: active) { .meter, .chart svg { border: 1px solid } rect { fill: Highlight !important } }
`
