import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addKey, revokeKey } from '../../src/config/partners-edit.ts'
import { createSandboxKey, hashSecret } from '../../src/config/sandbox-keys.ts'
import { sandgate } from '../support/command.ts'
import { runs } from '../support/effort.ts'
import { temporaryDirectory } from '../support/gateway.ts'

/** How often an editor saves: more often than a file is edited. */
const EDITOR_MS = 3

/** A directory with the configuration that ships, and how commands are run in it. */
function installation() {
  const directory = temporaryDirectory('keys')
  cpSync('config', join(directory, 'config'), { recursive: true })
  const partners = join(directory, 'config/partners.yaml')
  return {
    partners,
    text: () => readFileSync(partners, 'utf8'),
    create: () => sandgate(directory, ['keys', 'create', '--partner', 'demo', '--write']),
    revoke: (id: string) => sandgate(directory, ['keys', 'revoke', id]),
    leftovers: () => readdirSync(join(directory, 'config')).filter((name) => name.startsWith('.')),
  }
}

describe('the partners file', () => {
  it('holds every key of commands that ran at once, and the revocation that ran beside them', async () => {
    const { create, revoke, text, leftovers } = installation()
    const commands = [create(), create(), create(), revoke('key_demo'), create(), create(), create()]
    const finished = await Promise.all(commands)
    expect(finished.map(({ code }) => code)).toEqual(finished.map(() => 0))
    const printed = finished.map(({ out }) => out.trim()).filter((secret) => secret !== '')
    expect(printed).toHaveLength(6)
    for (const secret of printed) expect(text()).toContain(hashSecret(secret))
    expect(text()).toMatch(/id: key_demo\n[\s\S]*?revoked: true/)
    expect(leftovers()).toEqual([])
  })

  it('holds what an editor saved while keys were made, and the keys as well', async () => {
    const { partners } = installation()
    const keys = Array.from({ length: 8 }, createSandboxKey)
    let saved = 0
    // An editor that knows of no lock: it reads, waits for its person, and saves by a rename.
    const save = () => {
      const temporary = `${partners}~`
      writeFileSync(temporary, `${readFileSync(partners, 'utf8')}# note ${++saved}\n`)
      renameSync(temporary, partners)
    }
    const editor = setInterval(save, EDITOR_MS)
    const edited = await Promise.all(
      keys.map(({ id, sha256 }) => addKey(partners, 'demo', { id, sha256 })),
    ).finally(() => clearInterval(editor))
    const text = readFileSync(partners, 'utf8')
    for (const [index, { ok }] of edited.entries()) expect(text.includes(keys[index]?.sha256 ?? '?')).toBe(ok)
    expect(edited.some(({ ok }) => ok)).toBe(true)
    expect(text.match(/# note/g)).toHaveLength(saved)
  })

  it('that was deleted in the middle, or lost its partner, is a sentence and no key', async () => {
    const { partners } = installation()
    const { id, sha256 } = createSandboxKey()
    expect(await addKey(partners, 'gone', { id, sha256 })).toEqual({
      ok: false,
      message: expect.stringMatching(/is not changed: there is no partner gone in it any more$/),
    })
    expect(await addKey(`${partners}.gone`, 'demo', { id, sha256 })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/cannot be written \(ENOENT\); nothing was changed$/),
    })
  })

  it('that cannot be written is one sentence, and no key is printed', async () => {
    const { create, partners } = installation()
    // So long a name leaves no room for a lock or a temporary file beside it, whoever runs this.
    const long = `${'p'.repeat(245)}.yaml`
    renameSync(partners, join(partners, '..', long))
    const main = join(partners, '../sandgate.yaml')
    writeFileSync(main, readFileSync(main, 'utf8').replace('partners.yaml', long))
    const { code, out, err } = await create()
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^sandgate keys create: .* cannot be written \(ENAMETOOLONG\); nothing was changed.*\n$/,
    )
  })
})

describe('an edit', () => {
  const line = fc.constantFrom('# a comment', '', '   # further in', '# ünï, "quoted": yes')
  it('leaves every other line as it was, comments, order and line ends included', async () => {
    const { partners } = installation()
    const ends = fc.constantFrom('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 4 }), ends, fc.boolean(), async (extra, end, mark) => {
        const lines = ['# Partners', ...extra, ...ENTRY, ...extra.map((each) => each.trim()), ...OTHER]
        const before = (mark ? '\uFEFF' : '') + lines.join(end) + end
        writeFileSync(partners, before)
        const { id, sha256 } = createSandboxKey()
        expect(await addKey(partners, 'acme', { id, sha256 })).toEqual({ ok: true })
        expect(await revokeKey(partners, 'key_b')).toEqual({ ok: true })
        const after = readFileSync(partners, 'utf8')
        expect(after.split('\n').length - after.split(end).length).toBe(0)
        const written = [`    - id: ${id}`, `      sha256: ${sha256}`, '      revoked: true']
        expect(after.split(end).filter((each) => !written.includes(each))).toEqual(before.split(end))
      }),
      { numRuns: runs(20) },
    )
  })
})

const ENTRY = [
  '- id: acme # the first',
  '  name: "Acme"',
  '  tenant: tn_sandbox_acme',
  '  scopes: [payments:write]',
  '  keys:',
  '    - id: key_a',
  `      sha256: ${'a'.repeat(64)} # of Monday`,
]
const OTHER = [
  '- id: baobab',
  '  name: Baobab',
  '  tenant: tn_sandbox_baobab',
  '  scopes: [payments:write]',
  '  keys:',
  '    - id: key_b',
  `      sha256: ${'b'.repeat(64)}`,
]
