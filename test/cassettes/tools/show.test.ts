import { describe, expect, it } from 'vitest'
import { showCassette } from '../../../src/cassettes/tools/show.ts'
import { exchange } from '../recording-fixtures.ts'
import { account, cassetteOf, read } from './tool-cassettes.ts'

describe('show', () => {
  it('lists the interactions, and one in full with its body as it is spelled', () => {
    const cassette = cassetteOf([account(1, '+2250712345678', { limit: 1 }), read(1)])
    const list = showCassette(cassette, { color: false })
    expect(list).toMatch(/#1 09:30:00\.001 POST \/v1\/accounts\/open 201 accounts\.open/)
    const spelled = cassetteOf([
      exchange({ body: Buffer.from('{"amount":10.00,"big":9007199254740993,"list":[],"o":{"a":"x:y"}}') }),
    ])
    expect(showCassette(spelled, { color: false, entry: 1 })).toContain(
      '{\n  "amount": 10.00,\n  "big": 9007199254740993,\n  "list": [],\n  "o": {\n    "a": "x:y"\n  }\n}',
    )
    expect(showCassette(cassette, { color: false, entry: 1 })).toMatch(
      /phone \+99900000001 bound when first seen, not compared/,
    )
    expect(showCassette(cassette, { color: false, entry: 9 })).toBe(
      'There is no entry 9; the cassette has 2.\n',
    )
  })

  it('lets nothing that was recorded steer the terminal', () => {
    const nasty = cassetteOf([
      exchange({
        target: '/a',
        body: '\u001b[31mred\u001b[0m',
        replyHeaders: [['Link', '\u001b]0;x\u0007']],
      }),
    ])
    for (const options of [{ color: false }, { color: false, entry: 1 }])
      expect(showCassette(nasty, options).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(showCassette(nasty, { color: true, entry: 1 })).not.toContain('\u001b[31mred')
  })
})
