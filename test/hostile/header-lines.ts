import fc from 'fast-check'
import { HUSH } from './values.ts'

/** Whose credentials a request carries. Only A's own ones may ever be shown what A has. */
export type Who = 'a' | 'b' | 'nobody'

/** A header line; `alone` when a connection may not survive it. */
export type Line = { readonly text: string; readonly alone?: boolean }
export const line = (text: string): Line => ({ text })
const alone = (text: string): Line => ({ text, alone: true })
const weighted = <T>(weight: number, usual: readonly T[], odd: readonly T[]) =>
  fc.oneof(
    { weight, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )

const tenants = { a: 'tn_sandbox_canary-a', b: 'tn_sandbox_plain-b', nobody: 'tn_sandbox_none' }

/** The credentials of a request: the right ones, or whatever nobody might try. */
export function authorization(who: Who): fc.Arbitrary<Line> {
  const right = who === 'nobody' ? line('') : line(`Authorization: Bearer {tokens.${who}}`)
  if (who !== 'nobody') return fc.constant(right)
  return weighted(
    2,
    [right],
    [
      ...[
        'Bearer',
        'Bearer ',
        'Bearer x.y.z',
        'Basic Og==',
        'bearer null',
        `Bearer ${HUSH}`,
        `Bearer ${'A'.repeat(6000)}`,
      ].map((value) => line(`Authorization: ${value}`)),
      // A token that says of itself that it needs no signature.
      line(
        'Authorization: Bearer eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.eyJ0ZW5hbnQiOiJ0bl9zYW5kYm94X2NhbmFyeS1hIn0.',
      ),
      line('Authorization: Bearer {tokens.a}x'),
      line('Authorization: Bearer {tokens.a}, Bearer {tokens.b}'),
      line('Authorization: Bearer {tokens.a}\r\nAuthorization: Bearer {tokens.b}'),
      line('authorization : Bearer {tokens.a}'),
      alone('Authorization: Bearer \xff\xfe\x80'),
    ].map((each) => (each.text.includes(' : ') ? { ...each, alone: true } : each)),
  )
}

/** Header lines that are wrong, aliased, doubled or strange. */
export function oddHeaders(who: Who): fc.Arbitrary<Line> {
  return fc.constantFrom(
    ...[
      `X-Tenant-Id: ${tenants[who]}`,
      'X-Tenant-Id: tn_sandbox_canary-a',
      'X-Tenant-Id: ',
      'X-Tenant-Id: é',
    ].map(line),
    line(`X-Tenant-Id: ${tenants[who]}\r\nX-Tenant-Id: tn_sandbox_canary-a`),
    ...[
      'X_Tenant_Id: tn_sandbox_canary-a',
      'X-Tenant_Id: x',
      'Idempotency_Key: {uuid}',
      'X_Sandbox_Outcome: failed',
    ].map(line),
    ...[
      'X-Sandbox-Outcome: failed',
      'X-Sandbox-Outcome: rejected',
      'X-Sandbox-Outcome: ',
      `X-Sandbox-Outcome: ${HUSH}`,
    ].map(line),
    ...[
      'Connection: x-tenant-id',
      'Connection: Authorization, keep-alive',
      'Content-Encoding: gzip',
      'Content-Encoding: identity',
    ].map(line),
    ...[
      'X-Forwarded-For: 10.0.0.1',
      'X-Forwarded-For: ::ffff:7f00:1, x',
      'X-HTTP-Method-Override: DELETE',
      'Cookie: session=x',
      `Cookie: sandgate_portal=${HUSH}; sandgate_form=${HUSH}`,
      'Cookie: sandgate_portal=key_canary-a.9999999999999.AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ].map(line),
    ...[
      `Cookie: ${'c=1;'.repeat(500)}`,
      'Accept: text/html',
      'Accept: text/html, */*;q=0.1',
      'Accept-Language: fr;q=0.8',
      'Range: bytes=0-1',
      'Origin: https://evil.example',
    ].map(line),
    ...[
      'Host: evil.example',
      'Content-Type: text/plain',
      'Referer: x',
      'If-None-Match: *',
      'Forwarded: for=1.2.3.4',
    ].map(line),
    ...[
      `X-Huge: ${'h'.repeat(20_000)}`,
      'X-Bytes: \x80\xff\xc3',
      'X-Control: \x01',
      'No colon here',
      ': empty',
      ' folded: x',
    ].map(alone),
    ...[
      'Expect: 100-continue',
      'Expect: nothing',
      'Transfer-Encoding: gzip',
      'Content-Length: 5',
      'Upgrade: websocket\r\nConnection: Upgrade',
    ].map(alone),
    ...['Connection: close', 'Content-Length: -1', 'Content-Length: 1e3', 'Transfer-Encoding: chunked'].map(
      alone,
    ),
  )
}

export function idempotencyKey(method: string): fc.Arbitrary<Line> {
  if (method !== 'POST') return fc.constant(line(''))
  return weighted(
    6,
    [line('Idempotency-Key: {uuid}')],
    [
      '',
      'Idempotency-Key: 1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10',
      'Idempotency-Key: "{uuid}"',
      'Idempotency-Key: x',
      'Idempotency-Key: {uuid}\r\nIdempotency-Key: {uuid}',
      `Idempotency-Key: ${HUSH}`,
      'Idempotency-Key: ',
    ].map(line),
  )
}

export const contentType = weighted(
  8,
  ['application/json'],
  [
    'application/json; charset=utf-8',
    'application/json; charset=utf-16',
    'application/json\t',
    'text/plain',
    'application/jsonx',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json, text/html',
    ';',
    'a'.repeat(500),
  ],
)
