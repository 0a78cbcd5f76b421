import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/config/formats.ts'
import { isLoopbackHost } from '../../src/http/loopback.ts'

const accepts = (format: string, text: string) => FORMATS[format]?.(text) === undefined

describe('a CIDR block', () => {
  it.each([
    '10.0.0.0/8',
    '0.0.0.0/0',
    '192.0.2.1/32',
    '2001:db8::/32',
    '::1/128',
    '2001:DB8:0:0::/64',
    '::/0',
  ])('may be %s', (text) => expect(accepts('cidr', text)).toBe(true))

  it.each([
    ...[
      '10.0.0.0',
      '::1',
      '10.0.0.0/',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/08',
      '10.0.0.0/+8',
      '10.0.0.0/8/8',
    ],
    ...['10.0.0/8', '10/8', '010.0.0.0/8', '0x0a.0.0.0/8', '10.0.0.1/8', '2001:db8::1/32', 'fe80::%eth0/64'],
    ...[
      '::ffff:10.0.0.0/104',
      'loopback',
      '1',
      'true',
      '',
      ' 10.0.0.0/8',
      '10.0.0.0/8 ',
      '/8',
      '10.0.0.0/8\n',
    ],
  ])('may not be %j', (text) => expect(accepts('cidr', text)).toBe(false))

  it('of trusted proxies may not be everybody', () => {
    expect(accepts('proxy-cidr', '0.0.0.0/0')).toBe(false)
    expect(accepts('proxy-cidr', '::/0')).toBe(false)
    expect(accepts('proxy-cidr', '10.0.0.0/8')).toBe(true)
  })
})

describe('an origin', () => {
  it.each(['http://127.0.0.1:8080', 'https://sandbox.example.com', 'http://[::1]:8080', 'http://localhost'])(
    'may be %s',
    (text) => expect(accepts('http-origin', text)).toBe(true),
  )

  it.each([
    ...['https://example.com/', 'https://example.com/x', 'https://example.com?x', 'https://example.com#x'],
    ...[
      'https://u@example.com',
      'https://example.com:443',
      'https://EXAMPLE.com',
      'ftp://example.com',
      'example.com',
    ],
    ...['//example.com', 'https:example.com', 'https:///example.com', ' https://example.com', 'https://', ''],
  ])('may not be %j', (text) => expect(accepts('http-origin', text)).toBe(false))
})

describe('loopback', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ])('is %s', (host) => expect(isLoopbackHost(host)).toBe(true))

  it.each([
    ...['0.0.0.0', '::', '', '10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', '127.0.0.1.example.com'],
    ...['localhost.example.com', 'sandbox.localhost', '127.1', '2130706433'],
  ])('is not %j', (host) => expect(isLoopbackHost(host)).toBe(false))
})

describe('a host to listen on', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'gateway-1.internal'])('may be %s', (text) =>
    expect(accepts('host', text)).toBe(true),
  )

  it.each(['127.1', '2130706433', '[::1]', '127.0.0.1:80', 'http://localhost', 'a b', '-a', '*'])(
    'may not be %s',
    (text) => expect(accepts('host', text)).toBe(false),
  )
})
