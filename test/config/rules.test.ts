import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { DEMO_KEY_SHA256, DEMO_PARTNER } from '../../src/config/demo.ts'
import { formatConfigErrors } from '../../src/config/errors.ts'
import { effectiveCaps, limitFor } from '../../src/config/limits.ts'
import { loadConfig } from '../../src/config/load.ts'
import { DEFAULT_OUTCOMES } from '../../src/config/outcomes.ts'
import { DEFAULT_CAPS } from '../../src/config/partners.ts'
import { MAX_PATTERN_COST, patternCost } from '../../src/config/pattern-cost.ts'
import { DEMO_KEY } from '../../src/config/sandbox-keys.ts'
import type { Config } from '../../src/config/schema.ts'

const env = { SANDGATE_OPERATOR_TOKEN: 'a-token-of-the-operator' }

describe('the files that ship', () => {
  const examples = readdirSync('config/examples').map((name) => join('config/examples', name))

  it.each(['config/sandgate.yaml', ...examples])('%s is valid', (file) => {
    const result = loadConfig({ file, env })
    expect(result.ok ? '' : formatConfigErrors(result.errors)).toBe('')
    expect(result.warnings).toEqual([])
  })

  it('sandgate.yaml says what the defaults say', () => {
    const shipped = loadConfig({ file: 'config/sandgate.yaml' })
    const builtIn = loadConfig()
    if (!shipped.ok || !builtIn.ok) throw new Error('not valid')
    expect(shipped.config).toEqual(builtIn.config)
  })

  it('partners.yaml is the demo partner with the published key', () => {
    const [partner] = parse(readFileSync('config/partners.yaml', 'utf8'))
    expect(partner).toEqual({ ...DEMO_PARTNER, keys: [{ id: 'key_demo', sha256: DEMO_KEY_SHA256 }] })
    expect(DEMO_KEY_SHA256).toBe(createHash('sha256').update(DEMO_KEY).digest('hex'))
  })
})

describe('the published demo key', () => {
  const load = (variables: Record<string, string>) => loadConfig({ env: { ...env, ...variables } })

  it.each([
    ['listens beyond loopback', { SANDGATE_LISTEN_HOST: '192.0.2.1' }],
    ['listens on a name that may be anything', { SANDGATE_LISTEN_HOST: 'gateway.internal' }],
    ['has a public URL', { SANDGATE_LISTEN_PUBLIC_URL: 'https://sandbox.example.com' }],
  ])('keeps a gateway that %s from starting', (_, variables) => {
    const result = load(variables)
    expect(!result.ok && formatConfigErrors(result.errors)).toMatch(
      /published demo key.*key of its own.*revoked.*127/,
    )
  })

  it.each([
    ['listens on loopback', { SANDGATE_LISTEN_HOST: '::1' }],
    ['has a public URL on loopback', { SANDGATE_LISTEN_PUBLIC_URL: 'http://localhost:8080' }],
  ])('serves a gateway that %s', (_, variables) => {
    expect(load(variables).ok).toBe(true)
  })

  it('is no obstacle once it is revoked', () => {
    const revoked = { ...DEMO_PARTNER, keys: [{ id: 'key_demo', sha256: DEMO_KEY_SHA256, revoked: true }] }
    const flags = [{ source: '--partners', path: ['partners'], value: [revoked] }]
    expect(loadConfig({ flags, env: { ...env, SANDGATE_LISTEN_HOST: '192.0.2.1' } }).ok).toBe(true)
  })
})

describe('a controllable clock', () => {
  const controllable = { SANDGATE_CLOCK_CONTROLLABLE: 'true' }
  const flags = [{ source: '--partners', path: ['partners'], value: [] }]

  it('is allowed on loopback, and beyond it with an operator token', () => {
    expect(loadConfig({ env: controllable, flags }).ok).toBe(true)
    const beyond = { ...controllable, SANDGATE_LISTEN_HOST: '192.0.2.1' }
    expect(loadConfig({ env: beyond, flags }).ok).toBe(false)
    expect(loadConfig({ env: { ...beyond, ...env }, flags }).ok).toBe(true)
  })
})

describe('limits', () => {
  const cap = (limit: number, unit: 'calls' | 'amount' = 'amount') =>
    ({ product: 'payments.fund', period: 'day', unit, limit }) as const

  it('of a partner override the cap of the same product, period and unit; others are added', () => {
    const config = { caps: DEFAULT_CAPS }
    expect(effectiveCaps(config, {})).toEqual(DEFAULT_CAPS)
    expect(effectiveCaps(config, { caps: [cap(1), cap(2, 'calls')] })).toEqual([
      ...DEFAULT_CAPS.map((common) => (common.product === 'payments.fund' ? cap(1) : common)),
      cap(2, 'calls'),
    ])
  })

  it('of a group are the partner’s own, also when they are 0, else the common ones', () => {
    const groups = { 'payments.fund': 200, other: 300 } as Config['rateLimits']['groups']
    const config = { rateLimits: { windowSeconds: 60, reset: 'epoch', groups } } as const
    expect(limitFor(config, undefined, 'other')).toBe(300)
    expect(limitFor(config, {}, 'other')).toBe(300)
    expect(limitFor(config, { rateLimits: { other: 0 } }, 'other')).toBe(0)
    expect(limitFor(config, { rateLimits: { other: 0 } }, 'payments.fund')).toBe(200)
  })
})

describe('the pattern of a rule', () => {
  const acceptable = (pattern: string) => {
    const result = patternCost(pattern)
    return 'cost' in result && result.cost <= MAX_PATTERN_COST
  }

  it.each([
    'a+',
    '[0-9]*x',
    '(foo|bar)?baz',
    '\\+2250{7,9}9',
    '[()|+*]+',
    '\\(.*\\)',
    '(?:ab){3}',
    '\\p{L}+ \\p{L}+',
  ])('%s is quick enough', (pattern) => expect(acceptable(pattern)).toBe(true))

  it.each([
    ...[
      '(a+)+',
      '(a*)*b',
      '(a|a)*b',
      '(a|b)+c',
      '.*.*.*x',
      '(a{1,50}){1,50}',
      '(?:(?:a?)*)*',
      'a?'.repeat(30),
    ],
    ...['(?=a)a', '(?!a)b', '(?<=a)b', '(a)\\1', '(?<n>a)\\k<n>', '(x+x+)+y', '([a-z]+[0-9]?)+'],
  ])('%s is refused', (pattern) => expect(acceptable(pattern)).toBe(false))

  it('is quick in every rule of the contract', () => {
    for (const { test } of DEFAULT_OUTCOMES) expect(acceptable(test.matches ?? '')).toBe(true)
  })
})
