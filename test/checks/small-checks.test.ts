import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Fingerprinted, fingerprint } from '../../src/checks/fingerprint.ts'
import { judgeIdempotencyKey } from '../../src/checks/idempotency-key.ts'
import { judgeOutcome } from '../../src/checks/outcome.ts'
import { judgeTenant } from '../../src/checks/tenant.ts'
import { isJson, mediaType } from '../../src/http/media-type.ts'
import { CREDIT_OUTCOMES, KYC_OUTCOMES, PAYMENT_OUTCOMES } from '../../src/simulator/rules.ts'

describe('an Idempotency-Key', () => {
  it('is a UUID v4 in any case, quoted or not, and means the same', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), fc.boolean(), fc.boolean(), (uuid, upper, quoted) => {
        const spelled = upper ? uuid.toUpperCase() : uuid
        expect(judgeIdempotencyKey(quoted ? `"${spelled}"` : spelled)).toEqual({ key: uuid })
      }),
    )
  })

  it('is not a UUID of another version or variant', () => {
    fc.assert(
      fc.property(fc.uuid({ version: [1, 3, 5, 6, 7] }), (uuid) => {
        expect(judgeIdempotencyKey(uuid).refusal?.code).toBe('IDEMPOTENCY_KEY_INVALID')
      }),
    )
    expect(judgeIdempotencyKey('1f0e9c52-6b1d-4c8e-7a57-2f7c1c1f7d10').refusal?.code).toBe(
      'IDEMPOTENCY_KEY_INVALID',
    )
  })

  const key = '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10'
  it.each([
    ['empty', ''],
    ['quotes around nothing', '""'],
    ['one quote', `"${key}`],
    ['single quotes', `'${key}'`],
    ['braces', `{${key}}`],
    ['a URN', `urn:uuid:${key}`],
    ['no hyphens', key.replaceAll('-', '')],
    ['sent twice', `${key}, ${key}`],
    ['sent twice as a list', [key, key]],
    ['a letter that is not hex', key.replace('f', 'g')],
    ['trailing text', `${key}x`],
    ['a line feed inside', `${key.slice(0, 10)}\n${key.slice(10)}`],
  ])('is refused: %s', (_what, header) => {
    const { refusal } = judgeIdempotencyKey(header)
    expect(refusal?.code).toBe('IDEMPOTENCY_KEY_INVALID')
    expect(refusal?.errors).toEqual([expect.objectContaining({ header: 'Idempotency-Key' })])
  })

  it('is required', () =>
    expect(judgeIdempotencyKey(undefined).refusal?.code).toBe('IDEMPOTENCY_KEY_REQUIRED'))

  it('that is refused is not repeated', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(JSON.stringify(judgeIdempotencyKey(`canary ${text}`))).not.toContain('canary')
      }),
    )
  })
})

describe('a media type', () => {
  it.each([
    ['application/json', true],
    ['Application/JSON', true],
    ['application/json;charset=utf-8', true],
    ['application/json ; Charset="UTF-8"', true],
    ['application/json; charset=utf8', true],
    ['application/json; profile=x', true],
    ['application/json;', true],
    ['application/json; charset=latin1', false],
    ['application/json; charset=utf-16', false],
    ['application/json; charset=', false],
    ['text/json', false],
    ['application/problem+json', false],
    ['application/jsonx', false],
    ['application/json, text/plain', false],
    ['application / json', false],
    ['', false],
    [undefined, false],
  ])('%j is JSON in UTF-8: %s', (contentType, expected) => expect(isJson(contentType)).toBe(expected))

  it('is lower-cased and loses its parameters', () => {
    expect(mediaType(' Text/HTML ; charset=x')).toBe('text/html')
    for (const text of ['', 'json', '/json', 'text/', 'text/html/x', 'te xt/html'])
      expect(mediaType(text)).toBeUndefined()
  })
})

describe('a fingerprint', () => {
  // What HTTP lets through: no line ends in any part but the body.
  const text = fc.string({ maxLength: 8 }).filter((each) => !/[\r\n]/.test(each))
  const request: fc.Arbitrary<Fingerprinted> = fc.record({
    method: fc.constantFrom('POST', 'PUT'),
    path: text.map((each) => `/${each}`),
    query: text,
    mediaType: text,
    requestedOutcome: fc.option(
      text.filter((each) => each !== ''),
      { nil: undefined },
    ),
    body: fc.uint8Array({ maxLength: 16 }).map((bytes) => Buffer.from(bytes)),
  })
  const secret = Buffer.alloc(32, 1)
  const plain = (each: Fingerprinted) => JSON.stringify({ ...each, body: each.body.toString('hex') })

  it('is equal for equal requests and differs when any part differs', () => {
    fc.assert(
      fc.property(request, request, (one, two) => {
        const equal = plain(one) === plain(two)
        expect(fingerprint(secret, one) === fingerprint(secret, two)).toBe(equal)
        expect(fingerprint(secret, one)).toBe(fingerprint(secret, { ...one, body: Buffer.from(one.body) }))
      }),
    )
  })

  it.each(['method', 'path', 'query', 'mediaType', 'requestedOutcome', 'body'] as const)(
    'differs when the %s alone differs, also where a byte moves from one part to the next',
    (part) => {
      fc.assert(
        fc.property(request, request, (one, two) => {
          const mixed = { ...one, [part]: two[part] }
          if (plain(mixed) === plain(one)) return
          expect(fingerprint(secret, mixed)).not.toBe(fingerprint(secret, one))
        }),
      )
      const base = {
        method: 'POST',
        path: '/a',
        query: 'b',
        mediaType: 'c',
        requestedOutcome: 'd',
        body: Buffer.from('e'),
      }
      const moved = { ...base, query: '', mediaType: 'bc' }
      expect(fingerprint(secret, moved)).not.toBe(fingerprint(secret, base))
    },
  )

  it('depends on the secret, and shows nothing of the request', () => {
    const one = {
      method: 'POST',
      path: '/v1',
      query: '',
      mediaType: 'x',
      requestedOutcome: undefined,
      body: Buffer.from('{}'),
    }
    expect(fingerprint(secret, one)).not.toBe(fingerprint(Buffer.alloc(32, 2), one))
    expect(fingerprint(secret, one)).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })
})

describe('X-Sandbox-Outcome', () => {
  it.each([PAYMENT_OUTCOMES, KYC_OUTCOMES, CREDIT_OUTCOMES])(
    'names one of the two outcomes of $code',
    (names) => {
      expect(judgeOutcome(names.good, names)).toBeUndefined()
      expect(judgeOutcome(names.bad, names)).toBeUndefined()
      expect(judgeOutcome(undefined, names)).toBeUndefined()
    },
  )

  it('is refused with any other text, which is not repeated', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const refusal = judgeOutcome(`canary${text}`, PAYMENT_OUTCOMES)
        expect(refusal).toMatchObject({
          code: 'VALIDATION_FAILED',
          errors: [{ header: 'X-Sandbox-Outcome' }],
        })
        expect(JSON.stringify(refusal)).not.toContain('canary')
      }),
    )
    for (const text of ['', 'Success', 'success, success', 'approved', ['success', 'failed']])
      expect(judgeOutcome(text, PAYMENT_OUTCOMES)?.code).toBe('VALIDATION_FAILED')
  })

  it('is ignored by an operation without outcomes', () =>
    expect(judgeOutcome('anything', undefined)).toBeUndefined())
})

describe('X-Tenant-Id', () => {
  it('may be absent, or the tenant exactly', () => {
    expect(judgeTenant(undefined, 'tn_sandbox_a')).toBeUndefined()
    expect(judgeTenant('tn_sandbox_a', 'tn_sandbox_a')).toBeUndefined()
  })

  it.each([
    '',
    ' tn_sandbox_a',
    'TN_SANDBOX_A',
    'tn_sandbox_b',
    'tn_sandbox_a, tn_sandbox_a',
    ['tn_sandbox_a'],
  ])('is refused as %j', (header) => {
    const refusal = judgeTenant(header, 'tn_sandbox_a')
    expect(refusal?.code).toBe('PARTNER_MISMATCH')
    expect(JSON.stringify(refusal)).not.toContain('tn_sandbox')
  })
})
