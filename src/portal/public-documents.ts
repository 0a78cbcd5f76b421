import { SCOPES } from '../config/contract.ts'
import type { Config } from '../config/schema.ts'
import { isErrorCode } from '../errors/catalogue.ts'
import { refuse } from '../errors/refusal.ts'
import type { PublishedOutcomes } from '../simulator/published-outcomes.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import { errorIndex, errorPage, unknownErrorPage } from './error-page.ts'
import type { Page, PageAnswer } from './page.ts'
import { createRepresentation, type Representation } from './representation.ts'

export type DocumentParts = {
  readonly signingKeys: SigningKeys
  /** How long a new key is published before it signs. */
  readonly publishSeconds: number
  readonly issuer: () => string
  readonly publicUrl: () => string
  readonly config: () => Config
  /** The document under a configuration; it is made anew when that is another one. */
  readonly openApi: (config: Config) => object
  /** What decides at the moment. */
  readonly outcomes: () => PublishedOutcomes
}

const JWKS_MAX_AGE_SECONDS = 300

/** Where a sandbox tells what decides in it. */
export const OUTCOMES_PATH = '/v1/sandbox/outcomes'

/** The documents that machines and people find their way by; none needs a token. */
export function publicDocuments(parts: DocumentParts): readonly Page[] {
  const { signingKeys, publishSeconds, issuer, publicUrl, outcomes } = parts
  let shown: { readonly config: Config; readonly representation: Representation } | undefined
  // Nobody may keep the JWKS for longer than a new key is in it before it signs.
  const maxAge = Math.min(JWKS_MAX_AGE_SECONDS, publishSeconds)
  return [
    get('jwks', '/.well-known/jwks.json', async () =>
      json(await signingKeys.jwks(), {
        'content-type': 'application/jwk-set+json',
        'cache-control': `max-age=${maxAge}`,
      }),
    ),
    get('oauth.metadata', '/.well-known/oauth-authorization-server', () =>
      json(metadata(issuer(), publicUrl())),
    ),
    get('openapi', '/openapi.json', ({ headers }) => {
      const config = parts.config()
      if (shown?.config !== config) {
        const bytes = Buffer.from(JSON.stringify(parts.openApi(config)))
        const representation = createRepresentation({
          contentType: 'application/json',
          bytes,
          isPacked: false,
        })
        shown = { config, representation }
      }
      return shown.representation.answer(headers, 'no-cache')
    }),
    get('docs.errors', '/docs/errors', (visit) => ({ kind: 'page', status: 200, ...errorIndex(visit) })),
    get('sandbox.outcomes', OUTCOMES_PATH, () => json(outcomes())),
    {
      ...get('docs.error', '/docs/errors/{code}', (visit) => {
        const code = visit.params.code ?? ''
        return isErrorCode(code)
          ? { kind: 'page', status: 200, ...errorPage(code, visit, publicUrl()) }
          : { kind: 'refused', refusal: refuse('NOT_FOUND', 'There is no such error code.') }
      }),
      renderRefusal: (_refusal, visitor) => unknownErrorPage(visitor),
    },
  ]
}

/** RFC 8414, for clients that discover the token endpoint. */
function metadata(issuer: string, publicUrl: string) {
  return {
    issuer,
    token_endpoint: `${publicUrl}/auth/token`,
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    scopes_supported: SCOPES,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    service_documentation: `${publicUrl}/docs`,
  }
}

function get(id: string, path: string, render: Page['render']): Page {
  return { id, method: 'GET', path, group: 'other', isDocument: true, render }
}

function json(value: object, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  return {
    kind: 'page',
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  }
}
