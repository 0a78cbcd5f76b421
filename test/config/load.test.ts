import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RATE_LIMIT_GROUPS } from '../../src/config/contract.ts'
import { formatConfigErrors } from '../../src/config/errors.ts'
import { type LoadOptions, loadConfig } from '../../src/config/load.ts'
import { DEFAULT_OUTCOMES, DEFAULT_SCORES } from '../../src/config/outcomes.ts'
import { DEFAULT_CAPS } from '../../src/config/partners.ts'
import type { Config } from '../../src/config/schema.ts'
import { directoryWith, PARTNERS } from './files.ts'

function load(text: string, options: LoadOptions = {}) {
  const directory = directoryWith({ 'sandgate.yaml': text, 'partners.yaml': PARTNERS })
  return loadConfig({ file: join(directory, 'sandgate.yaml'), ...options })
}

function config(text: string, options: LoadOptions = {}): Config {
  const result = load(text, options)
  if (!result.ok) throw new Error(formatConfigErrors(result.errors))
  return result.config
}

function errors(text: string, options: LoadOptions = {}): string {
  const result = load(text, options)
  return result.ok ? '' : formatConfigErrors(result.errors)
}

describe('defaults', () => {
  it.each([
    ['an empty file', ''],
    ['a file of comments', '# nothing yet\n'],
    ['sections whose settings are commented out', 'listen:\n  # port: 80\nrateLimits:\nscores:\n'],
    ['an empty mapping', '{}'],
  ])('come with %s', (_, text) => {
    const loaded = config(text)
    expect(loaded.listen).toEqual({ host: '127.0.0.1', port: 8080, publicUrl: null, trustedProxies: [] })
    expect(loaded.rateLimits).toEqual({ windowSeconds: 60, reset: 'epoch', groups: RATE_LIMIT_GROUPS })
    expect(loaded.caps).toEqual(DEFAULT_CAPS)
    expect(loaded.outcomes).toEqual(DEFAULT_OUTCOMES)
    expect(loaded.scores).toEqual(DEFAULT_SCORES)
    expect(loaded.partners).toMatchObject([{ id: 'acme', keys: [{ revoked: false }] }])
  })

  it('fill what a section leaves out, at every level', () => {
    const { rateLimits, listen } = config('rateLimits: { groups: { other: 5 } }\nlisten: { port: 0 }\n')
    expect(rateLimits).toEqual({
      windowSeconds: 60,
      reset: 'epoch',
      groups: { ...RATE_LIMIT_GROUPS, other: 5 },
    })
    expect(listen).toEqual({ host: '127.0.0.1', port: 0, publicUrl: null, trustedProxies: [] })
  })

  it('are not shared between two configurations', () => {
    expect(config('').caps).not.toBe(config('').caps)
    expect(config('').caps[0]).not.toBe(DEFAULT_CAPS[0])
  })

  it('include the demo partner when there is no file at all', () => {
    const result = loadConfig()
    expect(result).toMatchObject({
      ok: true,
      files: [],
      config: { partners: [{ tenant: 'tn_sandbox_demo' }] },
    })
  })
})

describe('a file', () => {
  it('may be what a link or another directory leads to, and its partners are relative to it', () => {
    const directory = directoryWith({ 'partners.yaml': PARTNERS })
    mkdirSync(join(directory, 'sub'))
    const nested = directoryWith({ 'main.yaml': `partners: ${join(directory, 'partners.yaml')}\n` })
    const result = loadConfig({ file: join(nested, 'main.yaml') })
    expect(result).toMatchObject({
      ok: true,
      files: [join(nested, 'main.yaml'), join(directory, 'partners.yaml')],
    })
  })

  it('may use anchors to save typing', () => {
    const cap = '{ product: kyc, period: day, unit: calls, limit: 5 }'
    const text = `caps:\n  - &c ${cap}\npartners:\n  - { id: a, name: A, tenant: tn_sandbox_a, scopes: [accounts:read], keys: [], caps: [*c] }\n`
    expect(config(text).partners[0]?.caps).toEqual(config(text).caps)
  })

  it('has its mistakes found behind an alias', () => {
    expect(errors('listen: &l { port: abc }\noperator: *l\n')).toMatch(
      /sandgate.yaml:1:20: listen.port: .*\n.*sandgate.yaml:1:20: operator.port: /,
    )
  })

  it('that is missing is said to be', () => {
    const result = loadConfig({ file: '/nowhere/sandgate.yaml' })
    expect(result).toMatchObject({ ok: false, files: ['/nowhere/sandgate.yaml'] })
    expect(!result.ok && formatConfigErrors(result.errors)).toBe(
      '/nowhere/sandgate.yaml: there is no such file',
    )
  })

  it('that is a directory is said to be', () => {
    const directory = directoryWith({})
    const result = loadConfig({ file: directory })
    expect(!result.ok && formatConfigErrors(result.errors)).toBe(`${directory}: is a directory, not a file`)
  })

  it.skipIf(process.getuid?.() === 0)('that may not be read is said to be', () => {
    const directory = directoryWith({ 'sandgate.yaml': '' })
    chmodSync(join(directory, 'sandgate.yaml'), 0)
    const result = loadConfig({ file: join(directory, 'sandgate.yaml') })
    expect(!result.ok && formatConfigErrors(result.errors)).toMatch(/cannot be read: permission denied$/)
  })

  it('of hostile nesting is refused, not a crash', () => {
    expect(errors(`a: ${'['.repeat(10_000)}`)).toMatch(/sandgate.yaml.*: (is not valid YAML|cannot be read)/)
  })

  it('with a key named __proto__ changes no prototype', () => {
    expect(errors('listen: { __proto__: { port: 1 } }\n')).toMatch(
      /:1:11: listen.__proto__: is not a setting/,
    )
  })

  it('with more than a handful of mistakes has all of them reported', () => {
    const text = Array.from({ length: 30 }, (_, i) => `  CUS-${i}: 5\n`).join('')
    expect(errors(`scores:\n${text}`).split('\n')).toHaveLength(30)
  })
})

describe('secrets', () => {
  it.each([
    ['an operator token that is too short', 'operator: { token: hunter2 }\n'],
    ['an operator token that is not text', 'operator: { token: [hunter2] }\n'],
    ['a key in the place of its hash', PARTNERS.replace(/a{64}/, 'hunter2').replace(/^/, 'partners:\n')],
    ['a password in a URL', 'listen: { publicUrl: "https://me:hunter2@example.com" }\n'],
  ])('stay out of the message about %s', (_, text) => {
    expect(errors(text)).not.toBe('')
    expect(errors(text)).not.toContain('hunter2')
  })

  it('stay out of the message when the environment gives them', () => {
    expect(errors('', { env: { SANDGATE_OPERATOR_TOKEN: 'hunter2' } })).toMatch(
      /^SANDGATE_OPERATOR_TOKEN: operator.token: must have 16 to 256 characters, not 7$/,
    )
  })
})

describe('the environment', () => {
  it('overrides the file, typed by the schema', () => {
    const env = {
      SANDGATE_LISTEN_PORT: '9000',
      SANDGATE_LISTEN_PUBLIC_URL: 'http://127.0.0.1:9000',
      SANDGATE_CREDIT_ANNUAL_RATE_PERCENT: '7.5',
      SANDGATE_CLOCK_CONTROLLABLE: 'true',
      SANDGATE_STORE_ENGINE: 'memory',
      SANDGATE_RATE_LIMITS_GROUPS_PAYMENTS_FUND: '5',
    }
    const loaded = config('listen: { port: 1, host: localhost }\n', { env })
    expect(loaded.listen).toMatchObject({ port: 9000, host: 'localhost', publicUrl: 'http://127.0.0.1:9000' })
    expect(loaded.credit.annualRatePercent).toBe(7.5)
    expect(loaded.clock.controllable).toBe(true)
    expect(loaded.store.engine).toBe('memory')
    expect(loaded.rateLimits.groups['payments.fund']).toBe(5)
  })

  it('has its mistakes reported by the name of the variable', () => {
    const env = {
      SANDGATE_LISTEN_PORT: '80x',
      SANDGATE_CLOCK_CONTROLLABLE: 'yes',
      SANDGATE_STORE_ENGINE: 'disk',
    }
    expect(errors('caps: 5\n', { env })).toMatch(
      new RegExp(
        [
          '^SANDGATE_LISTEN_PORT: listen.port: must be an integer from 0 to 65535, not "80x"',
          'SANDGATE_STORE_ENGINE: store.engine: must be one of memory, embedded.*',
          'SANDGATE_CLOCK_CONTROLLABLE: clock.controllable: must be true or false, not "yes"',
          '.*sandgate.yaml:1:7: caps: .*$',
        ].join('\n'),
      ),
    )
  })

  it('is named when a rule over several settings is broken by it', () => {
    expect(errors('', { env: { SANDGATE_OPERATOR_HOST: '0.0.0.0' } })).toMatch(
      /^SANDGATE_OPERATOR_HOST: operator.host: 0.0.0.0 is beyond loopback/,
    )
  })

  it('names a partners file relative to the working directory', () => {
    const result = load('', { env: { SANDGATE_PARTNERS: './config/partners.yaml' } })
    expect(result).toMatchObject({ ok: true, config: { partners: [{ id: 'demo' }] } })
    expect(result.files[1]).toBe(join(process.cwd(), 'config/partners.yaml'))
  })

  it('refuses variables that resemble a setting, and warns about the others', () => {
    const mistaken = { SANDGATE_LISTEN_PROT: '1', SANDGATE_LISTEN_TRUSTED_PROXIES: '10.0.0.0/8' }
    expect(errors('', { env: mistaken })).toBe(
      [
        'SANDGATE_LISTEN_PROT: is not a setting; did you mean SANDGATE_LISTEN_PORT?',
        'SANDGATE_LISTEN_TRUSTED_PROXIES: listen.trustedProxies is a list or a mapping, which a variable cannot set; set it in the file',
      ].join('\n'),
    )
    expect(load('', { env: { SANDGATE_HOME: '/opt', SANDGATE_IMAGE: 'x:1' } })).toMatchObject({
      ok: true,
      warnings: ['SANDGATE_HOME', 'SANDGATE_IMAGE'].map((name) => `${name} is not a setting and is ignored`),
    })
  })

  it.each(['SANDGATE', 'SANDGATE_OPERATOR', 'SANDGATE_LISTEN', 'SANDGATE_EU_WEST'])(
    'knows what Kubernetes sets for a service of the name %s, and what is of the program itself',
    (service) => {
      const env = {
        [`${service}_SERVICE_HOST`]: '10.96.0.7',
        [`${service}_SERVICE_PORT`]: '8080',
        [`${service}_SERVICE_PORT_HTTP_API`]: '8080',
        [`${service}_PORT`]: 'tcp://10.96.0.7:8080',
        [`${service}_PORT_8080_TCP`]: 'tcp://10.96.0.7:8080',
        [`${service}_PORT_8080_TCP_PROTO`]: 'tcp',
        [`${service}_PORT_8080_TCP_PORT`]: '8080',
        [`${service}_PORT_8080_TCP_ADDR`]: '10.96.0.7',
        SANDGATE_URL: 'http://127.0.0.1:8080',
        SANDGATE_CLIENT_SECRET: 'x',
        SANDGATE_CASSETTE_KEY: 'x',
        SANDGATE_LISTEN_PORT_: '',
        PATH: '/bin',
      }
      const result = load('', { env })
      expect(result).toMatchObject({ ok: true, warnings: [] })
      expect(config('', { env }).operator.port).toBe(8081)
    },
  )

  it('sets nothing with an empty variable', () => {
    const env = { SANDGATE_LISTEN_PORT: '', SANDGATE_LISTEN_PUBLIC_URL: '' }
    expect(config('listen: { port: 9000 }\n', { env }).listen).toMatchObject({ port: 9000, publicUrl: null })
  })

  it('does not hide that a section of the file is wrong', () => {
    expect(errors('listen: 5\n', { env: { SANDGATE_LISTEN_PORT: '9000' } })).toMatch(
      /:1:9: listen: must be a mapping/,
    )
  })
})

describe('flags', () => {
  it('override the environment, and are named in errors', () => {
    const env = { SANDGATE_LISTEN_PORT: '9000' }
    const flag = (value: unknown) => [{ source: '--port', path: ['listen', 'port'], value }]
    expect(config('', { env, flags: flag(7000) }).listen.port).toBe(7000)
    expect(errors('', { env, flags: flag(70_000) })).toBe(
      '--port: listen.port: must be an integer from 0 to 65535, not 70000',
    )
  })
})
