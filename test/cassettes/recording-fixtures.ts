import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll } from 'vitest'
import type { CassetteHeader } from '../../src/cassettes/file/header.ts'
import { CASSETTE_VERSION, type CapturedExchange } from '../../src/cassettes/interaction.ts'
import { CONTRACT_FIELDS, redactionPolicy } from '../../src/cassettes/redaction/contract.ts'
import {
  createRedactor,
  type Redactor,
  type RedactorOptions,
} from '../../src/cassettes/redaction/redactor.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import type { Item } from '../../src/cassettes/writer/messages.ts'
import type { WriterOptions } from '../../src/cassettes/writer/writer.ts'
import { DEFAULT_OUTCOMES } from '../../src/config/outcomes.ts'
import type { HeaderLine } from '../../src/http/header-lines.ts'

export const HEADER = {
  version: CASSETTE_VERSION,
  product: 'sandgate/0.1.0',
  t0: Date.UTC(2026, 0, 15, 9, 30),
  origin: 'https://sandbox.example.com',
  profile: 'contract',
  volatile: ['Idempotency-Key', 'customerRef', 'businessRef', 'reference'],
  redaction: 'contract-1',
  outcomes: { from: 'built-in', rules: DEFAULT_OUTCOMES, scores: {} },
} as const satisfies CassetteHeader

export function settings(path: string, more: Partial<WriterOptions> = {}): WriterOptions {
  const { redaction: _, ...header } = HEADER
  return {
    path,
    header,
    allowHeaders: [],
    personal: true,
    secrets: [],
    existing: 'replace',
    leftover: 'resume',
    ...more,
  }
}

export function redactor(options: Partial<RedactorOptions> = {}): Redactor {
  return createRedactor({
    policy: redactionPolicy(),
    secrets: createSecrets(CONTRACT_FIELDS.words),
    rules: DEFAULT_OUTCOMES,
    ...options,
  })
}

type Parts = {
  readonly operation?: string
  readonly method?: string
  readonly target?: string
  readonly headers?: readonly HeaderLine[]
  readonly body?: unknown
  readonly status?: number
  readonly replyHeaders?: readonly HeaderLine[]
  readonly reply?: unknown
  readonly startedAt?: number
}

/** An exchange with JSON bodies, or bytes and texts as they are. */
export function exchange(parts: Parts): CapturedExchange {
  const { operation, method = 'POST', target = '/v1/kyc/submit', headers = [], body, status = 200 } = parts
  const json: HeaderLine = ['Content-Type', 'application/json']
  return {
    startedAt: parts.startedAt ?? HEADER.t0,
    durationMs: 1.5,
    partner: 'demo',
    lane: '',
    operation,
    origin: 'upstream',
    request: {
      method,
      target,
      httpVersion: '1.1',
      headers: isJson(body) ? [json, ...headers] : headers,
      body: bytes(body),
    },
    reply: {
      status,
      headers: isJson(parts.reply) ? [json, ...(parts.replyHeaders ?? [])] : (parts.replyHeaders ?? []),
      body: bytes(parts.reply),
    },
  }
}

function isJson(body: unknown): boolean {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}

function bytes(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array(0)
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

export function bodyText(message: { body: Uint8Array } | undefined): string {
  return Buffer.from(message?.body ?? []).toString('utf8')
}

/** A directory that is gone when the tests of the file are. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
const headerText = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,30}$/)
const headerLines = fc.array(
  fc.oneof(
    fc.tuple(token, headerText),
    fc.tuple(
      fc.constantFrom('Set-Cookie', 'set-cookie'),
      fc.stringMatching(/^[a-z]{1,8}=[a-z0-9]{0,12}; Path=\/$/),
    ),
    fc.tuple(
      fc.constantFrom('Content-Type', 'Idempotency-Key', 'X-Tenant-Id', 'Location', 'Date'),
      headerText,
    ),
    fc.constant<HeaderLine>(['Content-Type', 'application/json']),
    fc.constant<HeaderLine>(['Content-Encoding', 'gzip']),
  ),
  { maxLength: 6 },
)
const body = fc.oneof(
  fc.constant(new Uint8Array(0)),
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => new Uint8Array(Buffer.from(text))),
  fc.json().map((text) => new Uint8Array(Buffer.from(text))),
  fc.constant(
    new Uint8Array(Buffer.from('{"amount":10.00,"big":9007199254740993, "phone":"+2250712345678"}')),
  ),
)

/** Whatever a wire can carry. */
export const anyExchange: fc.Arbitrary<CapturedExchange> = fc.record({
  startedAt: fc.integer({ min: 0, max: 4e12 }),
  durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  partner: fc.constantFrom(undefined, 'demo'),
  lane: fc.string({ maxLength: 8 }),
  operation: fc.constantFrom(undefined, 'kyc.submit', 'accounts.open'),
  origin: fc.constantFrom('upstream' as const, 'edge:TOKEN_EXPIRED' as const, 'simulator:default' as const),
  request: fc.record({
    method: fc.constantFrom('GET', 'POST', 'PATCH'),
    target: fc.stringMatching(/^\/[A-Za-z0-9/_.~%-]{0,20}(\?[a-z]=[A-Za-z0-9+%&=]{0,20})?$/),
    httpVersion: fc.constantFrom('1.0' as const, '1.1' as const),
    headers: headerLines,
    body,
  }),
  reply: fc.option(fc.record({ status: fc.integer({ min: 200, max: 599 }), headers: headerLines, body }), {
    nil: undefined,
    freq: 8,
  }),
})

/** An exchange as it reaches the recorder's thread. */
export function itemsOf(
  { request, reply, ...rest }: CapturedExchange,
  id: number,
): { items: Item[]; bytes: Uint8Array } {
  const bytes = Buffer.concat([request.body, reply?.body ?? new Uint8Array(0)])
  const { startedAt, lane, operation, durationMs, origin } = rest
  const body = [0, request.body.length] as const
  const replied = reply && { ...reply, body: [request.body.length, reply.body.length] as const }
  return {
    items: [
      { open: { id, startedAt, lane, operation, ...request, body } },
      { end: { id, durationMs, origin, reply: replied } },
    ],
    bytes,
  }
}
