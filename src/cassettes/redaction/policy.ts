import type { FieldLookup } from './stand-ins/field-rules.ts'

/** What is allowed to reach a cassette. A header that is not listed is left out: deny by default, both ways. */
export type RedactionPolicy = {
  /** Written into the cassette, so that a reader knows what was applied. */
  readonly name: string
  readonly requestHeaders: ReadonlySet<string>
  readonly replyHeaders: ReadonlySet<string>
  /** Whether personal data by the contract's fields get stand-ins; secrets always do. */
  readonly personal: boolean
  readonly fields: FieldLookup
}

const BOTH = [
  'cache-control',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'pragma',
]

const REQUEST = [
  ...BOTH,
  'accept',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'cookie',
  'expect',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'origin',
  'prefer',
  'range',
  'transfer-encoding',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-sandbox-outcome',
  'x-tenant-id',
]

const REPLY = [
  ...BOTH,
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'content-disposition',
  'deprecation',
  'etag',
  'expires',
  'idempotency-replayed',
  'last-modified',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'set-cookie',
  'sunset',
  'transfer-encoding',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
  'x-sandbox-rule',
]

export type PolicyOptions = { readonly allowHeaders?: readonly string[]; readonly personal?: boolean }

/** The lists above, with headers that the operator allows beside them. */
export function policyOf(
  fields: FieldLookup,
  { allowHeaders = [], personal = true }: PolicyOptions = {},
): RedactionPolicy {
  const more = allowHeaders.map((name) => name.toLowerCase())
  return {
    name: personal ? 'contract-1' : 'secrets-1',
    requestHeaders: new Set([...REQUEST, ...more]),
    replyHeaders: new Set([...REPLY, ...more]),
    personal,
    fields,
  }
}
