import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createClientIp } from '../../src/checks/client-ip.ts'
import { runs } from '../support/effort.ts'

const direct = createClientIp([])
const behind = createClientIp(['10.0.0.0/8', '2001:db8:aaaa::/48'])
const PROXY = '10.0.0.1'

describe('without trusted proxies', () => {
  it('the client is the socket, whatever X-Forwarded-For says', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (forged) => {
        expect(direct('192.0.2.7', forged).subject).toBe('ip:192.0.2.7')
      }),
    )
  })

  it('a socket without an address has a subject of its own', () => {
    expect(direct(undefined, '192.0.2.1').subject).toBe('ip:unknown')
    expect(direct('/run/sandgate.sock', undefined).subject).toBe('ip:unknown')
  })
})

describe('behind trusted proxies', () => {
  it('X-Forwarded-For from an address that is not trusted is ignored', () => {
    expect(behind('192.0.2.7', '198.51.100.1').subject).toBe('ip:192.0.2.7')
  })

  it('the first untrusted address from the right is the client, whatever stands to its left', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('10.1.1.1')), { maxLength: 5 }),
        fc.array(fc.constantFrom('10.0.0.2', '10.255.0.1', '2001:db8:aaaa::5'), { maxLength: 3 }),
        (forged, proxies) => {
          const header = [...forged, '198.51.100.9', ...proxies].join(', ')
          expect(behind(PROXY, header).subject).toBe('ip:198.51.100.9')
        },
      ),
    )
  })

  it.each([
    ['garbage', 'garbage'],
    ['an empty entry', ''],
    ['a number', '12345'],
    ['an octal address', '010.0.0.1'],
    ['a hexadecimal address', '0x7f000001'],
    ['a short address', '127.1'],
    ['an obfuscated identifier', '_hidden'],
    ['unknown', 'unknown'],
    ['a name', 'client.example'],
    ['an unclosed bracket', '[2001:db8::1'],
    ['a port that is no number', '192.0.2.1:http'],
  ])('an entry that is %s ends the chain at the proxy that wrote it', (_what, entry) => {
    expect(behind(PROXY, `198.51.100.1, ${entry}, 10.0.0.2`).subject).toBe('ip:10.0.0.2')
  })

  it('a chain of trusted addresses alone ends at its leftmost one', () => {
    expect(behind(PROXY, '10.9.9.9, 10.8.8.8').subject).toBe('ip:10.9.9.9')
  })

  it.each([
    ['192.0.2.1:443', 'ip:192.0.2.1'],
    ['[2001:db8:1:2:3::1]', 'ip:2001:db8:1:2::/64'],
    ['[2001:db8:1:2:3::1]:443', 'ip:2001:db8:1:2::/64'],
    ['2001:db8:1:2:3::1', 'ip:2001:db8:1:2::/64'],
    ['  192.0.2.1\t', 'ip:192.0.2.1'],
  ])('the entry %j is %s', (entry, subject) => expect(behind(PROXY, entry).subject).toBe(subject))

  it('a trusted proxy is recognised in its mapped spellings', () => {
    for (const proxy of ['::ffff:10.0.0.1', '::ffff:a00:1', '0:0:0:0:0:FFFF:0A00:0001'])
      expect(behind(proxy, '198.51.100.1').subject).toBe('ip:198.51.100.1')
  })

  it('no text that passes for an IPv6 address makes it throw', () => {
    const piece = fc.constantFrom(
      '::',
      ':',
      '0',
      'ffff',
      '1.2.3.4',
      '%eth0',
      '64',
      'ff9b',
      'fe80',
      '%',
      '[',
      ']',
    )
    const text = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.oneof(text.filter(isIPv6), fc.ipV6(), text), (entry) => {
        expect(behind(PROXY, `${entry}, 10.0.0.2`).subject).toMatch(/^ip:[0-9a-f.:]+(\/64)?$/)
        if (isIPv6(entry)) expect(direct(entry, undefined).subject).toMatch(/^ip:[0-9a-f.:]+(\/64)?$/)
      }),
      { numRuns: runs(2000) },
    )
  })
})

describe('a subject', () => {
  it('is the same for every address of an IPv6 /64', () => {
    const half = fc
      .tuple(...[0, 1, 2, 3].map(() => fc.nat(0xffff)))
      .map((words) => words.map((w) => w.toString(16)).join(':'))
    fc.assert(
      fc.property(half, half, (one, two) => {
        const { address: _, ...counted } = direct(`2001:db8:1:2:${two}`, undefined)
        expect(direct(`2001:db8:1:2:${one}`, undefined)).toMatchObject(counted)
      }),
    )
    expect(direct('2001:db8:1:3::1', undefined)).not.toEqual(direct('2001:db8:1:2::1', undefined))
  })

  it('is that of the IPv4 address for every spelling of a mapped one', () => {
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), ([a, b, c, d]) => {
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        const expected = direct(`${a}.${b}.${c}.${d}`, undefined)
        expect(expected).toEqual({
          address: `${a}.${b}.${c}.${d}`,
          subject: `ip:${a}.${b}.${c}.${d}`,
          shared: `net:${a}.${b}.${c}.0/24`,
        })
        for (const spelling of [
          `::ffff:${a}.${b}.${c}.${d}`,
          `::ffff:${hex}`,
          `0:0:0:0:0:FFFF:${hex.toUpperCase()}`,
        ])
          expect(direct(spelling, undefined)).toEqual(expected)
      }),
    )
  })

  it('has no zone', () => {
    expect(direct('fe80::1%eth0', undefined)).toEqual(direct('fe80::1', undefined))
  })

  it('shares a /24 or a /48 with its neighbours', () => {
    expect(direct('192.0.2.200', undefined).shared).toBe('net:192.0.2.0/24')
    expect(direct('2001:db8:1:2::5', undefined).shared).toBe('net:2001:db8:1::/48')
  })
})
