import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { checked } from '../../src/config/check.ts'
import { DEFAULT_OUTCOMES } from '../../src/config/outcomes.ts'
import { DEFAULT_CAPS } from '../../src/config/partners.ts'
import { ConfigSchema } from '../../src/config/schema.ts'
import { runs } from '../support/effort.ts'

const typebox = Compile(ConfigSchema)

function mistakes(value: unknown): { value: unknown; count: number } {
  let count = 0
  const result = checked(ConfigSchema, value, [], () => count++)
  return { value: result, count }
}

const key = { id: 'key_a', sha256: '0'.repeat(64), scopes: ['accounts:read'], revoked: true }
const partner = { id: 'a', name: 'A', tenant: 'tn_sandbox_a', scopes: ['accounts:read'], keys: [key] }
const complete = mistakes({
  caps: DEFAULT_CAPS.slice(0, 2),
  outcomes: DEFAULT_OUTCOMES.slice(0, 2),
  scores: { 'CUS-1': 700 },
  webhooks: { ipRanges: ['10.0.0.0/8'] },
  partners: [{ ...partner, caps: DEFAULT_CAPS.slice(0, 1), rateLimits: { other: 5 } }],
}).value

/** Every place in a value, as the steps that lead to it. */
function places(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([step, child]) => places(child, [...path, step]))]
}

function replaced(value: unknown, [step, ...rest]: string[], by: unknown): unknown {
  if (step === undefined) return by
  const copy = structuredClone(value) as Record<string, unknown>
  copy[step] = replaced(copy[step], rest, by)
  return copy
}

const wrong = fc.oneof(
  fc.constantFrom(
    null,
    true,
    [],
    {},
    [''],
    { extra: 1 },
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    '',
    'kyc',
  ),
  fc.integer({ min: -2, max: 20_000_000 }),
  fc.double({ noNaN: true, min: -1, max: 900 }),
  // ASCII: TypeBox counts graphemes where we count code points.
  fc.string({ unit: 'binary-ascii', maxLength: 300 }),
)

/** Formats are ours alone, so TypeBox accepts any text there. */
const FORMATTED =
  /host|publicUrl|issuer|ipRanges|trustedProxies|recording\.origin|upstream\.url|tokenUrl|trustedIssuers|assertionAudiences/

describe('the check', () => {
  it('finds nothing wrong with a complete configuration, and TypeBox neither', () => {
    expect(mistakes(complete).count).toBe(0)
    expect(typebox.Check(complete)).toBe(true)
  })

  it('returns a complete configuration as it is', () => {
    expect(mistakes(complete).value).toEqual(complete)
  })

  it('accepts a changed configuration exactly when TypeBox accepts what it returns', () => {
    const change = fc.record({ path: fc.constantFrom(...places(complete)), by: wrong })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), (changes) => {
        let value = complete
        for (const { path, by } of changes) {
          try {
            value = replaced(value, path, by)
          } catch {
            // The second change may be below what the first one took away.
          }
        }
        const result = mistakes(value)
        if (result.count === 0) expect(typebox.Check(result.value)).toBe(true)
        else if (typebox.Check(value))
          expect(changes.some(({ path }) => FORMATTED.test(path.join('.')))).toBe(true)
      }),
      { numRuns: runs(500) },
    )
  })
})
