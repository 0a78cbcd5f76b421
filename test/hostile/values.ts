import fc from 'fast-check'

/** Stands in values only, never in a name: no refusal and no line of the log may ever repeat it. */
export const HUSH = 'hush-5e7a91'

const zeros = '0'.repeat(5000)
const deep = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`

/** Numbers as text: tricky, huge, or not JSON at all. */
const number = fc.constantFrom(
  ...[
    '0',
    '-0',
    '-1',
    '1',
    '5077',
    '500',
    '50011',
    '1000.0',
    '1e3',
    '1E+2',
    '077',
    '+1',
    '.5',
    '1.',
    '0x10',
    'NaN',
  ],
  ...[
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9007199254740991.4',
    '1000.0000000000000000001',
  ],
  ...[
    '1e400',
    '-1e400',
    '1e-400',
    '1e999999999',
    `1${zeros}`,
    `0.${zeros}1`,
    `1${zeros}.${zeros}`,
    'Infinity',
    '1e',
  ],
)
const text = fc.constantFrom(
  ...[
    '""',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"a\\u0000b"',
    '"\\u202e\\u2066"',
    '"é"',
    '"🙂"',
    '"\\ud83d\\ude42"',
  ],
  ...[
    '"<script>alert(1)</script>"',
    '"\'; drop table accounts; --"',
    '"../../etc/passwd"',
    `"\${x}{{7*7}}%s%n"`,
  ],
  ...['"+2250000000009"', '"+22500000009"', '"00225070000"', '"XOF"', '"EUR"', '"2026-02-30"', '"CI"', '"*"'],
  ...[
    '"http://169.254.169.254/"',
    '"https://u:p@x.example"',
    '"javascript:alert(1)"',
    '"https://x.example/\\\\y"',
  ],
  ...[
    '"unclosed',
    "'single'",
    '"\\x41"',
    '"\\u12"',
    '"tab\tinside"',
    `"${'x'.repeat(3000)}"`,
    `"${HUSH}"`,
    '"__proto__"',
  ],
)
const nested = fc.constantFrom(
  ...[
    deep('[', ']', 5),
    deep('[', ']', 33),
    deep('{"a":', '}', 33),
    deep('[', ']', 4000),
    deep('{"a":', '}', 4000),
  ],
  ...[
    '[',
    '{',
    '{}',
    '[]',
    '[[],[],[]]',
    '{"__proto__":{"amount":5077}}',
    '{"constructor":{"prototype":{"x":1}}}',
  ],
  ...['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[1,,2]', '{"a":1,}', `[${'1,'.repeat(3000)}1]`, '{"":""}'],
)

/** A JSON value of any type as text, and texts that only look like one. */
export const rawValue = fc.oneof(
  { weight: 3, arbitrary: number },
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: nested },
  { weight: 2, arbitrary: fc.constantFrom('true', 'false', 'null', 'undefined', '') },
  { weight: 2, arbitrary: fc.json({ maxDepth: 2 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map((each) => JSON.stringify(each)) },
)

export const extraName = fc.constantFrom(
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '', 'amount', 'phone'],
  ...['a/b~c', '\u0000', 'é', 'x'.repeat(200), 'status', 'tenant', 'partnerId', 'accountId', 'sessionId'],
)

/** What happens to a whole body on its way. */
export const bodyDamage: fc.Arbitrary<(body: Buffer) => Buffer> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((body: Buffer) => body) },
  fc.constantFrom(
    (body: Buffer) => body.subarray(0, body.length >> 1),
    (body: Buffer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
    (body: Buffer) => Buffer.from(body.toString(), 'utf16le'),
    (body: Buffer) => Buffer.concat([body, Buffer.from('}')]),
    (body: Buffer) => Buffer.concat([body, Buffer.from([0xff, 0xfe, 0x00])]),
    (body: Buffer) => Buffer.from(`${' '.repeat(2000)}${body}\n\n`),
    () => Buffer.alloc(0),
    () => Buffer.from('null'),
    () => Buffer.from('[]'),
    () => Buffer.from(HUSH),
  ),
)

/** Segments that stand where an identifier belongs. None contains a space: that would end the request target. */
export const hostileSegment = fc.constantFrom(
  ...[
    '..',
    '.',
    '%2e%2e',
    '%2E%2E',
    '%2f',
    '%2F..%2F',
    '%00',
    '%0d%0a',
    ';x=1',
    '\\',
    '%5c',
    '%252e',
    '%25',
    '%',
    '%zz',
  ],
  ...[
    '%C0%AF',
    '%80',
    '%ED%A0%80',
    '%C3%A9',
    '%c3%a9',
    '*',
    '~',
    "'",
    '"',
    '<x>',
    '{}',
    '|',
    '^',
    'x'.repeat(300),
    '$1',
  ],
  ...[
    '__proto__',
    'constructor',
    'open',
    'null',
    'undefined',
    '0',
    '-1',
    'acc_',
    'acc_AAAAAAAAAAAAAAAAAAAAAAAAA',
    'kws_x-demo',
  ],
)

export const hostileQuery = fc.constantFrom(
  ...[
    '',
    '?',
    '?limit=5',
    '?limit=0',
    '?limit=101',
    '?limit=1e1',
    '?limit=-1',
    '?limit=5&limit=6',
    '?limit=%D9%A1',
  ],
  ...[
    '?cursor=',
    '?cursor=AAAA',
    '?cursor=YWNjX3g',
    '?cursor=%00',
    '?amount=5077',
    '?amount=50099&termMonths=12',
  ],
  ...[
    '?amount=9007199254740993',
    '?amount=1.0',
    '?amount=5077&customerRef=CUS-0001',
    '?customerRef=CUS-0001',
  ],
  ...[
    '?customerRef=%ff',
    '?customerRef=a&customer%52ef=b',
    '?__proto__=1',
    '?__proto__[x]=1',
    '?a[]=1&a[]=2',
    '?%',
  ],
  ...[
    '?constructor=1',
    `?x=${'y'.repeat(4000)}`,
    `?customerRef=${HUSH}`,
    '?&&&',
    '?=',
    '??',
    '?amount=5077#x',
    '?lang=fr',
  ],
  ...[
    `?${[...Array(20).keys()].map((i) => `p${i}=1`).join('&')}`,
    '?amount=5077&p=1&q=1&r=1&s=1&t=1&u=1&v=1&w=1',
  ],
)
