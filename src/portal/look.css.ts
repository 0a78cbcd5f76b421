/**
 * The look of every page of ours: sand, deep green and the sun. System fonts only; a serif for titles. The
 * colours of texts have a contrast of at least 4.5 in both schemes, borders of controls 3.
 */
export const LOOK = `
:root {
  color-scheme: light dark;
  --paper: #f6f0e4; --card: #fffdf8; --ink: #17302b; --muted: #58655f; --line: #e2d8c4; --edge: #857d6a;
  --brand: #0b5d4f; --brand-strong: #084a3f; --on-brand: #fff; --tint: #e7f0ea;
  --danger: #a3290f; --danger-tint: #fbeae3; --sun: #e9a94d; --sun-tint: #fbf0da; --sun-ink: #6b4406; --amber: #b8741a; --track: #ece3d1;
  --gate: #0b3f37; --gate-ink: #fbf4e4; --gate-soft: #cfdccf;
  --sans: -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Cantarell, "Liberation Sans", Arial, sans-serif;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, P052, "Noto Serif", Georgia, serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Roboto Mono", "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1816; --card: #15231f; --ink: #f2ecdf; --muted: #a8b5ad; --line: #2b3c36; --edge: #75857d;
    --brand: #84d3bb; --brand-strong: #a4e3cf; --on-brand: #06251d; --tint: #1b322b;
    --danger: #ffa38c; --danger-tint: #37201a; --sun-tint: #33291a; --sun-ink: #f2c988; --amber: #e9a94d; --track: #26362f;
    --gate: #0a2a25;
  }
}
*, ::before, ::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; min-height: 100vh; min-height: 100dvh; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); overflow-wrap: break-word }
h1, h2, p, dl, dd, ul, fieldset { margin: 0; padding: 0 }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.15; letter-spacing: -.01em; text-wrap: balance }
a { color: var(--brand); text-underline-offset: .2em }
a:hover { color: var(--brand-strong); text-decoration-thickness: 2px }
code { font-family: var(--mono); font-size: .92em }
:focus-visible { outline: 3px solid var(--sun); outline-offset: 2px; border-radius: 6px }
.icon { flex: none }
.hidden-text { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
[hidden] { display: none !important }

.hero { position: relative; isolation: isolate; overflow: hidden; background: var(--gate); color: var(--gate-ink); padding: 20px 20px 68px }
.hero::after { content: ""; position: absolute; inset: 0 0 auto; height: 8px; background:
  conic-gradient(from 135deg at 50% 0, var(--sun) 90deg, #0000 0) 0 0 / 16px 8px repeat-x, #b9592b }
.hero a { color: inherit }
.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 12px; min-height: 44px }
.brand { display: inline-flex; align-items: center; gap: 10px; font: 600 1.125rem/1 var(--serif) }
.badge { font: 600 .6875rem/1 var(--sans); letter-spacing: .07em; text-transform: uppercase; color: var(--sun); border: 1px solid; border-radius: 99px; padding: 5px 9px 4px }
.switch { display: inline-flex; align-items: center; min-height: 44px; padding: 0 4px; font-size: .9375rem }
.hero h1 { font-size: clamp(1.75rem, 1.2rem + 2.6vw, 2.75rem); margin: 22px 0 10px; max-width: 18ch }
.hero h1:focus { outline: none }
.lead { color: var(--gate-soft); max-width: 34ch }
.lead strong { color: var(--gate-ink); font-weight: 600 }
.gate { position: absolute; z-index: -1; right: -84px; bottom: 0; width: 300px }
.arch.a { fill: #ffffff0a } .arch.b { fill: #ffffff0c } .arch.c { fill: #ffffff10 } .arch.d { fill: #ffffff14 }
.sun { fill: var(--sun) } .sand { display: none; fill: #b9592b }

.card { position: relative; background: var(--card); border: 1px solid var(--line); border-radius: 20px; margin: -36px 12px 0; padding: 24px 20px; box-shadow: 0 1px 2px #17302b0d, 0 12px 32px -18px #17302b4d }
.card h2 { font-size: 1.375rem }
.card > * + * { margin-top: 16px }
.muted { color: var(--muted) }
.page { padding-bottom: 32px }

.facts dt { color: var(--muted); font-size: .875rem }
.facts dd + dt { margin-top: 14px }
.facts code { overflow-wrap: anywhere }
.roundel { display: grid; place-items: center; width: 64px; height: 72px; border-radius: 32px 32px 14px 14px; background: var(--tint); color: var(--brand) }
.roundel svg { width: 32px; height: 32px }
.roundel.bad { background: var(--danger-tint); color: var(--danger) }
.roundel.wait { background: var(--sun-tint); color: var(--sun-ink) }

.button { display: inline-flex; align-items: center; justify-content: center; gap: 10px; width: 100%; min-height: 52px; padding: 12px 22px; border: 0; border-radius: 14px; background: var(--brand); color: var(--on-brand); font: 600 1.0625rem/1.2 var(--sans); text-align: center; text-decoration: none; cursor: pointer }
.button:hover { background: var(--brand-strong); color: var(--on-brand); text-decoration: none }
.button:active { transform: translateY(1px) }
.ways { display: flex; flex-wrap: wrap; align-items: center; gap: 10px 20px } .way { display: inline-flex; align-items: center; min-height: 44px }
.button[aria-disabled=true] { opacity: .65; cursor: progress }

@media (forced-colors: active) { .card, .button { border: 1px solid } .gate { display: none } }
@media (prefers-reduced-motion: no-preference) { .button { transition: background-color .15s } }
`

/** On a wide screen: the title at the left, and one card beside it. For pages with one thing to read or to do. */
export const SIDE_BY_SIDE = `
@media (min-width: 60rem) {
  .page { display: grid; grid-template-columns: minmax(22rem, 38%) minmax(0, 1fr); min-height: 100vh; min-height: 100dvh; padding: 0 }
  .hero { grid-row: 1 / 99; padding: 28px 48px; position: sticky; top: 0; height: 100vh; height: 100dvh }
  .hero::after { inset: 0 0 0 auto; width: 8px; height: auto; background: conic-gradient(from 45deg at 0 50%, var(--sun) 90deg, #0000 0) 0 0 / 8px 16px repeat-y, #b9592b }
  .hero h1 { margin-top: 12vh }
  .lead { font-size: 1.125rem }
  .gate { inset: auto 0 0; width: 100% }
  .sand { display: inline }
  .card { align-self: center; justify-self: center; width: min(36rem, calc(100% - 64px)); margin: 48px 0; padding: 40px }
  .card .button { width: auto; min-width: 14rem }
}
`
