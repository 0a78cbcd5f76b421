import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lintCassette } from '../../../src/cassettes/tools/lint.ts'
import { exchange, scratch } from '../recording-fixtures.ts'
import { account, cassetteOf, read, written } from './tool-cassettes.ts'

const directory = scratch()

describe('lint', () => {
  it('finds nothing in a recording, in either form', () => {
    const cassette = cassetteOf([account(1), read(1)])
    expect(lintCassette(cassette)).toEqual([])
    expect(lintCassette(written(directory, 'good.har', cassette))).toEqual([])
  })

  it('finds a secret and a personal value that somebody has written into the file, and the edit itself', () => {
    const path = written(directory, 'edited.har', cassetteOf([account(1), read(1)]), (text) =>
      text.replace(
        '\\"firstName\\":\\"First-1\\"',
        '\\"firstName\\":\\"First-1\\",\\"lastName\\":\\"Koné\\",\\"note\\":\\"sk_sandbox_0VhYx3kQm4Zq9T\\"',
      ),
    )
    expect(lintCassette(path).map(({ severity, kind, at }) => [severity, kind, at.entry])).toEqual([
      ['error', 'secret', 1],
      ['warning', 'edited', undefined],
      ['error', 'personal', 1],
    ])
    expect(JSON.stringify(lintCassette(path))).not.toMatch(/sk_sandbox_0|Koné/)
  })

  it('finds a bound value that an edit has torn from its binding', () => {
    const path = written(directory, 'torn.har', cassetteOf([account(1)]), (text) =>
      text.replace('\\"C-1\\"', '\\"C-2\\"'),
    )
    expect(lintCassette(path)).toContainEqual(
      expect.objectContaining({ kind: 'binding', place: { part: 'request-body', pointer: '/customerRef' } }),
    )
  })

  it('finds secrets in what cannot be loaded at all', () => {
    const path = join(directory, 'rubbish.har')
    writeFileSync(path, 'x\n{"a":"whsec_c2FuZGdhdGUtZXhhbXBsZQ=="')
    expect(lintCassette(path).map(({ kind, at }) => [kind, at.line])).toEqual([
      ['secret', 2],
      ['structure', 1],
    ])
  })

  it('lets magic and published test values stand', () => {
    const magic = cassetteOf([exchange({ body: { phone: '+225000000009' } })])
    expect(lintCassette(magic)).toEqual([])
    expect(lintCassette(magic, { deciding: { rules: [], scores: {} } })).toMatchObject([{ kind: 'personal' }])
    expect(lintCassette(magic, { deciding: { rules: [], scores: { '+225000000009': 700 } } })).toEqual([])
  })
})
