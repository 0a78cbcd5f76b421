import { describe, expect, it } from 'vitest'
import { diffCassettes, formatDiff } from '../../../src/cassettes/tools/diff.ts'
import { account, cassetteOf, read } from './tool-cassettes.ts'

describe('diff', () => {
  it('sees no difference between two recordings of one run', () => {
    const first = cassetteOf([account(1), account(2, '+2250799999999'), read(1)])
    const again = cassetteOf([
      account(5, '+33123456789'),
      account(6, '+33123456780'),
      read(5, '+33123456789'),
    ])
    expect(diffCassettes(first, again)).toEqual({ added: [], removed: [], changed: [] })
    expect(formatDiff(diffCassettes(first, again))).toBe('The cassettes say the same.\n')
  })

  it('sees whose account was read', () => {
    const first = cassetteOf([account(1), account(2), read(1)])
    const other = cassetteOf([account(1), account(2), read(2)])
    expect(diffCassettes(first, other).changed[0]?.differences).toEqual(
      expect.arrayContaining([
        { at: 'path /2', kind: 'value', before: '{accountId 1}', after: '{accountId 2}' },
      ]),
    )
  })

  it('sees what was added, removed, and how a reply changed', () => {
    const first = cassetteOf([account(1, undefined, { amount: 1, code: null, gone: 'x' }), read(1)])
    const other = cassetteOf([account(1, undefined, { amount: '1', code: false, more: 'y' }), account(2)])
    const { added, removed, changed } = diffCassettes(first, other)
    expect(added).toEqual([{ sequence: 2, title: 'POST /v1/accounts/open' }])
    expect(removed).toEqual([{ sequence: 2, title: 'GET /v1/accounts/{accountId}' }])
    expect(changed[0]?.differences).toEqual([
      { at: 'reply-body /amount', kind: 'type', before: '1', after: '1' },
      { at: 'reply-body /gone', kind: 'removed', before: 'x' },
      { at: 'reply-body /code', kind: 'value', before: 'null', after: 'false' },
      { at: 'reply-body /more', kind: 'added', after: 'y' },
    ])
  })
})
