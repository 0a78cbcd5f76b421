/** What is no request, or only part of one, or more than one. */
export const fragments = [
  'GET',
  'GET /',
  'GET / HTTP/1.1',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01',
  '\r\n\r\n\r\n',
  '\0\0\0\0',
  'GET / HTTP/1.1\nHost: x\n\n',
  'GET  / HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'get / HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens.b}\r\nIdempotency-Key: {uuid}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"amount":',
  'POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens.b}\r\nIdempotency-Key: {uuid}\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{"amount":5077}',
  'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ...[
    '5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n',
    'zz\r\n',
    '5\r\nab',
    '0\r\nX: y\r\n\r\n',
    'ffffffffffffffff\r\n',
    '5;ext=1\r\n{"a":\r\n',
  ].map(
    (chunks) =>
      `POST /v1/kyb/submit HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens.b}\r\nIdempotency-Key: {uuid}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
  ),
  'GET /v1/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens.b}\r\n\r\nGARBAGE BEHIND IT\r\n\r\n',
  'GET /v1/accounts HTTP/1.0\r\n\r\n',
]
