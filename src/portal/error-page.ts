import type { ErrorCode, ErrorEntry } from '../errors/catalogue.ts'
import { escapeHtml } from './escape.ts'

/** What the `type` of a problem leads to: one page for each code. */
export function errorPage(code: ErrorCode, entry: ErrorEntry): string {
  const { status, title, cause, resolution } = entry
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${code} · Sandgate</title>
<style>
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1.25rem }
code { font: 0.95em ui-monospace, monospace }
h1 { font-size: 1.5rem; margin-bottom: 0 }
dt { font-weight: 600; margin-top: 1.25rem }
dd { margin: 0 }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p><code>${code}</code> · HTTP ${status}${status === 200 ? ' (a decision, not a failure of the request)' : ''}</p>
<dl>
<dt>When it happens</dt><dd>${escapeHtml(cause)}</dd>
<dt>What to do</dt><dd>${escapeHtml(resolution)}</dd>
</dl>
</main>
</body>
</html>
`
}
