import { describe, expect, it } from 'vitest'
import { mergeCassettes } from '../../../src/cassettes/merging/merge.ts'
import { lintCassette } from '../../../src/cassettes/tools/lint.ts'
import { bodyText } from '../recording-fixtures.ts'
import { account, cassetteOf, read } from './tool-cassettes.ts'

describe('merge', () => {
  it('keeps two people two, whose stand-ins were the same in two recordings', () => {
    const merged = mergeCassettes([
      cassetteOf([account(1)]),
      cassetteOf([account(2, '+2250799999999'), read(2)]),
    ])
    const phones = merged.interactions.map(({ reply }) => JSON.parse(bodyText(reply)).phone)
    expect(merged.interactions.map(({ sequence, ended }) => [sequence, ended])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(new Set(phones).size).toBe(3)
    for (const { bindings, request, reply } of merged.interactions) {
      const phone = bindings.find(({ type }) => type === 'phone')?.value
      expect(JSON.parse(bodyText(reply)).phone).toBe(phone)
      if (request.method === 'POST') expect(JSON.parse(bodyText(request)).phone).toBe(phone)
    }
    expect(lintCassette(merged)).toEqual([])
  })

  it('makes one person of two where the cassette key says so', () => {
    const merged = mergeCassettes([
      cassetteOf([account(1)], 'k'),
      cassetteOf([account(3, '+33123456789'), account(2)], 'k'),
    ])
    const phones = merged.interactions.map(({ request }) => JSON.parse(bodyText(request)).phone)
    expect(phones[2]).toBe(phones[0])
    expect(phones[1]).not.toBe(phones[0])
  })

  it('refuses what was redacted otherwise', () => {
    expect(() => mergeCassettes([cassetteOf([]), { ...cassetteOf([]), redaction: 'secrets-1' }])).toThrow(
      /redacted by secrets-1/,
    )
  })
})
