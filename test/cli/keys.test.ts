import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { hashSecret } from '../../src/config/sandbox-keys.ts'

const directories: string[] = []
let config = ''
let partners = ''

beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-keys-'))
  directories.push(directory)
  cpSync('config', directory, { recursive: true })
  config = join(directory, 'sandgate.yaml')
  partners = join(directory, 'partners.yaml')
})

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

async function sandgate(...args: string[]) {
  let out = ''
  let err = ''
  const exit = await runCommandLine(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    env: {},
  })
  return { exit, out, err }
}

describe('keys create', () => {
  it('prints the key once, on standard output alone, and the YAML to paste', async () => {
    const before = readFileSync(partners, 'utf8')
    const { exit, out, err } = await sandgate('keys', 'create', '--partner', 'demo', '--config', config)
    expect(exit).toBe('ok')
    expect(out).toMatch(/^sk_sandbox_[A-Za-z0-9_-]{22,}\n$/)
    expect(err).toContain(`sha256: ${hashSecret(out.trim())}`)
    expect(err).not.toContain(out.trim())
    expect(readFileSync(partners, 'utf8')).toBe(before)
  })

  it('with --write adds the hashed key and changes nothing else, comments included', async () => {
    const before = readFileSync(partners, 'utf8').split('\n')
    const { out } = await sandgate(
      ...['keys', 'create', '--partner', 'demo', '--scopes', 'payments:write', '--write', '--config', config],
    )
    const after = readFileSync(partners, 'utf8')
    expect(after).not.toContain(out.trim())
    const lines = after.split('\n')
    expect(lines.filter((line) => !before.includes(line))).toEqual([
      expect.stringMatching(/^ {4}- id: key_/),
      `      sha256: ${hashSecret(out.trim())}`,
      '      scopes: [payments:write]',
    ])
    expect(before.filter((line) => !lines.includes(line))).toEqual([])
    expect((await sandgate('config', 'check', config)).exit).toBe('ok')
  })

  it('keeps the mode of the file', async () => {
    const { mode } = statSync(partners)
    await sandgate('keys', 'create', '--partner', 'demo', '--write', '--config', config)
    expect(statSync(partners).mode).toBe(mode)
  })

  it('names the partners and the scopes there are', async () => {
    const unknown = await sandgate('keys', 'create', '--partner', 'nobody', '--config', config)
    expect(unknown).toMatchObject({ exit: 'usage', out: '', err: expect.stringContaining('there are demo') })
    const scope = await sandgate(
      ...['keys', 'create', '--partner', 'demo', '--scopes', 'admin', '--config', config],
    )
    expect(scope).toMatchObject({ exit: 'usage', out: '', err: expect.stringContaining('accounts:read') })
  })
})

describe('keys revoke and keys list', () => {
  it('a revoked key stays in the file and is listed as revoked', async () => {
    expect((await sandgate('keys', 'revoke', 'key_demo', '--config', config)).exit).toBe('ok')
    expect(readFileSync(partners, 'utf8')).toContain('revoked: true')
    const { out } = await sandgate('keys', 'list', '--config', config)
    expect(out).toMatch(/key_demo +demo +revoked/)
    expect((await sandgate('keys', 'revoke', 'key_demo', '--config', config)).err).toContain('already')
  })

  it('an unknown key is refused with the names of those there are', async () => {
    const { exit, err } = await sandgate('keys', 'revoke', 'key_nobody', '--config', config)
    expect(exit).toBe('usage')
    expect(err).toContain('key_demo')
  })
})

describe('partners check', () => {
  it('shows every partner, and warns of one without an active key', async () => {
    const good = await sandgate('partners', 'check', config)
    expect(good.out).toMatch(/demo +tn_sandbox_demo +1 of 1/)
    expect(good.err).toBe('')
    await sandgate('keys', 'revoke', 'key_demo', '--config', config)
    expect((await sandgate('partners', 'check', config)).err).toContain('no active key')
  })
})
