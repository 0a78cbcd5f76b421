import Type from 'typebox'
import { SCOPES } from '../config/contract.ts'
import { DEMO_KEY } from '../config/sandbox-keys.ts'
import * as field from './fields.ts'
import type { OperationRow } from './operation.ts'

/** What a key id, a tenant or a sandbox key may be made of; one that is empty counts as left out. */
const CREDENTIAL = '^[!-~]{0,512}$'

/** As long as a real one, for whoever makes room for it. The signature is none. */
const EXAMPLE_TOKEN = [
  { alg: 'RS256', typ: 'at+jwt', kid: 'fpnwdVkrmqWqyDb6JlDXLzpWg2IT51QclADX7DkcAyM' },
  {
    iss: 'http://127.0.0.1:8080',
    aud: 'partner-sandbox',
    sub: 'demo',
    client_id: 'key_demo',
    tenant: 'tn_sandbox_demo',
    scope: SCOPES.join(' '),
    iat: 1768469400,
    exp: 1768473000,
    jti: 'Q2qn9aL2UL1my0I1Xb7Zqw',
  },
  'example '.repeat(32),
]
  .map((part) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'))
  .join('.')

/** The token exchange. Its request is read by RFC 6749, not by the rules of the other operations. */
export const authToken: OperationRow = {
  id: 'auth.token',
  method: 'POST',
  path: '/auth/token',
  summary: 'Exchange a sandbox key for a one-hour RS256 token',
  description:
    'OAuth 2.0 client credentials. client_id is the key id, the tenant or the sandbox key; client_secret is the sandbox key. Credentials travel in the body or in HTTP Basic. There is no refresh token, and no live key is ever minted.',
  tag: 'Token',
  auth: 'client',
  grants: 'token',
  group: 'token',
  countsPer: 'client',
  body: Type.Object(
    {
      grant_type: Type.Optional(
        Type.String({
          pattern: '^(?:client_credentials)?$',
          description: 'client_credentials, which is also the default.',
          examples: ['client_credentials'],
        }),
      ),
      client_id: Type.Optional(
        Type.String({
          pattern: CREDENTIAL,
          description: 'The key id, the tenant or the sandbox key.',
          examples: ['key_demo'],
          clientId: true,
        }),
      ),
      client_secret: Type.Optional(
        Type.String({
          pattern: CREDENTIAL,
          description: 'The sandbox key.',
          examples: [DEMO_KEY],
          secret: true,
        }),
      ),
      scope: Type.Optional(
        Type.String({
          pattern: '^[!#-\\[\\]-~ ]*$',
          description: 'Space-separated; narrows the scopes of the key.',
          examples: ['payments:write'],
        }),
      ),
    },
    { description: 'Unknown parameters are ignored; repeated ones are refused.' },
  ),
  success: {
    status: 200,
    description: 'The token.',
    schema: field.closed({
      access_token: Type.String({
        description: 'A JWT, signed with RS256.',
        examples: [EXAMPLE_TOKEN],
        secret: true,
      }),
      token_type: field.oneOf(['Bearer'], 'Always Bearer.'),
      expires_in: Type.Integer({ minimum: 1, description: 'Seconds.', examples: [3600] }),
      scope: Type.String({
        description: 'The granted scopes, space-separated.',
        examples: [SCOPES.join(' ')],
      }),
      liveKeyMinted: Type.Unsafe<false>({
        type: 'boolean',
        enum: [false],
        description: 'Always false.',
        examples: [false],
      }),
    }),
    example: {
      access_token: EXAMPLE_TOKEN,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: SCOPES.join(' '),
      liveKeyMinted: false,
    },
  },
  errors: ['INVALID_CLIENT', 'INVALID_REQUEST', 'UNSUPPORTED_GRANT_TYPE', 'INVALID_SCOPE'],
  exampleBody: {
    grant_type: 'client_credentials',
    client_id: 'key_demo',
    client_secret: DEMO_KEY,
  },
}
