import { refuse } from '../errors/refusal.ts'
import { type DocsAsset, readDocsAsset } from './docs-assets.ts'
import { escapeHtml } from './escape.ts'
import type { Page } from './page.ts'
import { redirect } from './redirect.ts'

export type DocsParts = {
  /** The demo partner's credentials, when this gateway is for the reader's own machine and they work; asked anew for each page. */
  readonly demo: () => { readonly clientId: string; readonly clientSecret: string } | undefined
}

/**
 * Nothing from outside and nothing inline. Swagger UI draws its icons from data: URLs. The page talks to this
 * gateway alone, so that a token cannot be sent anywhere else.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The interactive reference under /docs, with everything it loads. Works without the internet. */
export function docsPages({ demo }: DocsParts): readonly Page[] {
  return [
    {
      id: 'docs',
      method: 'GET',
      path: '/docs',
      group: 'other',
      isDocument: true,
      render: () => ({
        kind: 'page',
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': POLICY,
          'referrer-policy': 'no-referrer',
        },
        body: docsPage(demo()),
      }),
    },
    {
      id: 'docs.asset',
      method: 'GET',
      path: '/docs/assets/{file}',
      group: 'other',
      isDocument: true,
      render: async ({ params }) => {
        const asset = await readDocsAsset(params.file ?? '')
        return asset
          ? { kind: 'page', status: 200, headers: assetHeaders(asset), body: asset.body }
          : { kind: 'refused', refusal: refuse('NOT_FOUND', 'There is no such file.') }
      },
    },
    {
      id: 'docs.home',
      method: 'GET',
      path: '/docs/',
      group: 'other',
      isDocument: true,
      render: () => redirect(308, '/docs'),
    },
  ]
}

function assetHeaders({ contentType }: DocsAsset): Readonly<Record<string, string>> {
  return { 'content-type': contentType, 'cache-control': 'max-age=3600' }
}

function docsPage(demo: ReturnType<DocsParts['demo']>): string {
  const { clientId = '', clientSecret = '' } = demo ?? {}
  const hint = demo
    ? 'The demo credentials are filled in: open an operation, press <b>Try it out</b>, then <b>Execute</b>.'
    : 'Enter your key once, then open an operation and press <b>Try it out</b>. The key stays in this page.'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Partner Sandbox API · Sandgate</title>
<link rel="icon" href="docs/assets/icon.svg">
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="stylesheet" href="docs/assets/docs.css">
<script src="docs/assets/swagger-ui-bundle.js" defer></script>
<script src="docs/assets/docs.js" defer></script>
</head>
<body>
<header class="sg-head">
<h1><img src="docs/assets/icon.svg" alt="" width="28" height="28"> Partner Sandbox API</h1>
<p>Everything here is a sandbox: no money moves, no live key is minted and no webhook is sent.
${hint}</p>
<nav><a href="openapi.json">openapi.json</a> <a href="#sg-token">Credentials</a></nav>
</header>
<form class="sg-token" id="sg-token" autocomplete="off">
<label>client_id <input name="clientId" value="${escapeHtml(clientId)}" placeholder="key id, tenant or sandbox key" autocomplete="off" spellcheck="false"></label>
<label>client_secret <input name="clientSecret" type="${demo ? 'text' : 'password'}" value="${escapeHtml(clientSecret)}" placeholder="sandbox key" autocomplete="off" spellcheck="false"></label>
<button>Get a token</button>
<output aria-live="polite">A token is fetched when an operation needs one.</output>
</form>
<main id="sg-reference"><noscript>This page needs JavaScript; the same reference is in openapi.json.</noscript></main>
</body>
</html>
`
}
