/** Our touches on Swagger UI: a header, the credentials, and room on a phone. */
export const DOCS_STYLE = `:root {
  color-scheme: light dark;
  --sg-ink: #17302b;
  --sg-soft: #58655f;
  --sg-paper: #ffffff;
  --sg-panel: #f6f0e4;
  --sg-line: #e2d8c4;
  --sg-accent: #0b5d4f;
  --sg-good: #1d6b42;
  --sg-bad: #b3261e;
}
html.dark-mode {
  --sg-ink: #e8e6e1;
  --sg-soft: #a9b0b8;
  --sg-paper: #0d1816;
  --sg-panel: #15231f;
  --sg-line: #2b3c36;
  --sg-accent: #84d3bb;
  --sg-good: #7fd0a3;
  --sg-bad: #ff9d94;
}
html { background: var(--sg-paper); color: var(--sg-ink); font: 16px/1.55 system-ui, sans-serif }
body { margin: 0 }
.sg-head, .sg-token { box-sizing: border-box; max-width: 1460px; margin: 0 auto; padding: 0 20px }
.sg-head { padding-top: 28px }
.sg-head h1 { display: flex; align-items: center; gap: 10px; margin: 0 0 6px; font-size: 1.7rem }
.sg-head p { max-width: 46rem; margin: 0 0 8px; color: var(--sg-soft) }
.sg-head nav { display: flex; gap: 16px; margin-bottom: 16px }
.sg-head a { color: var(--sg-accent) }
.sg-token { display: flex; flex-wrap: wrap; align-items: end; gap: 12px; padding-block: 14px;
  background: var(--sg-panel); border: 1px solid var(--sg-line); border-radius: 8px;
  width: calc(100% - 40px) }
.sg-token label { flex: 1 1 16rem; font: 600 0.8rem/1.4 ui-monospace, monospace; color: var(--sg-soft) }
.sg-token input { display: block; box-sizing: border-box; width: 100%; margin-top: 4px; padding: 8px 10px;
  font: 0.95rem ui-monospace, monospace; color: var(--sg-ink); background: var(--sg-paper);
  border: 1px solid var(--sg-line); border-radius: 6px }
.sg-token button { padding: 9px 18px; font: 600 0.95rem system-ui, sans-serif; color: var(--sg-paper);
  background: var(--sg-accent); border: 0; border-radius: 6px; cursor: pointer }
.sg-token :focus-visible { outline: 2px solid var(--sg-accent); outline-offset: 2px }
.sg-token output { flex: 1 1 100%; font-size: 0.9rem; color: var(--sg-soft) }
.sg-token output[data-kind='good'] { color: var(--sg-good) }
.sg-token output[data-kind='bad'] { color: var(--sg-bad) }
#sg-reference { min-height: 60vh }
.swagger-ui .info { margin: 20px 0 }
.swagger-ui .info .main, .swagger-ui .info__contact, .swagger-ui .info__license, .swagger-ui .scheme-container { display: none }
.swagger-ui .info li, .swagger-ui .info p { font: 0.95rem/1.6 system-ui, sans-serif }
.swagger-ui .info code { font-weight: 400; color: inherit; overflow-wrap: anywhere }
.swagger-ui .filter .operation-filter-input { margin: 8px 0; border-width: 1px; border-radius: 6px }
.swagger-ui .opblock .opblock-summary-path { word-break: break-word }
@media (max-width: 640px) {
  .sg-head h1 { font-size: 1.35rem }
  .swagger-ui .wrapper { padding: 0 12px }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: 4px 0 0 }
  .swagger-ui table { display: block; overflow-x: auto }
  .swagger-ui .parameters-col_description { min-width: 12rem }
  .swagger-ui .parameters-col_description input, .swagger-ui select { max-width: 100% }
}
`

/** A gate in the sand. */
export const DOCS_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b3f37"/><path d="M8 25V14a8 8 0 0 1 16 0v11M13 25V12.5M19 25V12.5M6 25h20" fill="none" stroke="#fbf4e4" stroke-width="2.4" stroke-linecap="round"/></svg>
`
