import { describe, expect, it } from 'vitest'
import { fieldRule } from '../../../src/cassettes/redaction/contract.ts'
import { namedFields } from '../../../src/operations/named-fields.ts'
import { bodyText, exchange, redactor } from '../recording-fixtures.ts'

const stored = (body: string, type = 'application/json') =>
  bodyText(
    redactor().redact(
      exchange({ target: '/v1/x', headers: [['Content-Type', type]], body: Buffer.from(body) }),
    ).exchange.request,
  )

describe('a field is a secret by the meaning of its name', () => {
  it.each(
    (
      'secret clientSecret CLIENT_SECRET client-secret clientsecret ClientSecret2 webhook.secret password Password ' +
      'newPassword PASSWORD_1 userpassword motDePasse passphrase key_passphrase pin PIN pinCode atm_pin otp smsOtp otpCode ' +
      'cvv CVV2 cvc cardCvv card_number cardNumber CARDNUMBER numeroCarte pan apiKey api_key APIKEY X-Api-Key privateKey ' +
      'accessToken ACCESS-TOKEN sessionToken bearer token key signingKey keyMaterial tokenValue verificationCode ' +
      'security_code codeSecret credentials credential jeton passcode pwd mdp Passwort contraseña senha mpin pukCode psk ' +
      'authorizationCode twoFactorCode code_verifier securityAnswer SAMLResponse connectionString primaryAccountNumber'
    ).split(' '),
  )('%s', (name) => {
    expect(fieldRule([name])?.kind, name).toBe('secret')
    expect(fieldRule(['metadata', 'deep', name])?.kind, name).toBe('secret')
  })

  it.each(
    (
      'secretStored liveKeyMinted token_type nextCursor keyId key_id tokenType tokenExpiresAt passwordPolicy pinLength ' +
      'secretary keyboard monkey tokenize opinion shipping pinned passport passportNumber nextPageToken sortKey primaryKey ' +
      'publicKey idempotencyKey keyCount cardBrand otpChannel cardLast4 accountNumber code status reference compass'
    ).split(' '),
  )('but not %s', (name) => {
    expect(fieldRule([name])?.kind, name).not.toBe('secret')
  })

  it('none of the contract, but those that it annotates', () => {
    const others = namedFields().filter(
      ({ schema }) => !schema.secret && !schema.clientId && !schema.personal,
    )
    expect(
      others.filter(({ names }) => fieldRule(names)?.kind === 'secret').map(({ names }) => names),
    ).toEqual([])
  })

  it('a number under key or token is a count, and a switch is a switch', () => {
    const body = '{"token":5,"key":12,"secret":false,"pin":null,"tokens":3}'
    expect(stored(body)).toBe(body)
    expect(stored('{"pin":1234}')).toBe('{"pin":"redacted-pin-1"}')
  })

  it('an object called after a secret holds one, beside what is said about it', () => {
    expect(stored('{"secret":{"value":"abc","createdAt":"now"},"keys":[{"kid":"k1","k":"xyz1"}]}')).toBe(
      '{"secret":{"value":"redacted-secret-1","createdAt":"now"},"keys":[{"kid":"k1","k":"redacted-key-1"}]}',
    )
  })

  it('in forms, multipart bodies, XML, pages and free text', () => {
    const form = 'application/x-www-form-urlencoded'
    expect(stored('a=1&card_number=4111111111111111', form)).toBe('a=1&card_number=redacted-card-number-1')
    expect(stored('<r><n:Pin>1234</n:Pin><x apiKey="k-1"/></r>', 'application/xml')).toBe(
      '<r><n:Pin>redacted-pin-1</n:Pin><x apiKey="redacted-key-1"/></r>',
    )
    expect(stored('<r><pin><![CDATA[1234]]></pin></r>', 'text/plain')).toContain('[CDATA[redacted-pin-1]]')
    const part = '--b\r\nContent-Disposition: form-data; name="otp"\r\n\r\n123456\r\n--b--'
    expect(stored(part, 'multipart/form-data; boundary=b')).toContain('\r\n\r\nredacted-otp-1\r\n--b--')
    expect(
      stored('<meta name="csrf-token" content="abc"><textarea name=pin>1234</textarea>', 'text/html'),
    ).toBe('<meta name="csrf-token" content="redacted-token-1"><textarea name=pin>redacted-pin-1</textarea>')
    for (const [text, secret] of [
      ['log: DB_PASSWORD=hunter2 done', 'hunter2'],
      ['see apiKey: abc123, and more', 'abc123'],
      ['{"a":"{\\"pin\\":\\"9876\\"}"}', '9876'],
      ['{"a":"the card number: 4111111111111111."}', '4111111111111111'],
      ["config: password => 'a b c'", 'a b c'],
    ] as const) {
      const after = stored(text, 'text/plain')
      expect(after).not.toContain(secret)
      expect(after).toContain('redacted-')
    }
  })

  it('but prose about one is prose', () => {
    for (const text of [
      'Add Idempotency-Key: it must be a UUID v4.',
      'The token: expired. password: must be at least eight characters',
      'Basic authentication, token type: Bearer',
    ])
      expect(stored(text, 'text/plain')).toBe(text)
  })

  it('a short one is looked for as a word of the same exchange, and never in a number', () => {
    const { redact } = redactor()
    const { exchange: both } = redact(
      exchange({
        target: '/v1/x',
        body: { pin: '4829', amount: 4829, note: 'x48290', list: ['my 4829 is'] },
        reply: { detail: 'pin 4829, not 14829', amount: 4829, fee: 482.9 },
      }),
    )
    expect(bodyText(both.request)).toBe(
      '{"pin":"redacted-pin-1","amount":4829,"note":"x48290","list":["my redacted-pin-1 is"]}',
    )
    expect(bodyText(both.reply)).toBe('{"detail":"pin redacted-pin-1, not 14829","amount":4829,"fee":482.9}')
    expect(bodyText(redact(exchange({ target: '/v1/y', reply: { detail: '4829' } })).exchange.reply)).toBe(
      '{"detail":"4829"}',
    )
    expect(stored('{"pin":"amount","note":"amount"}')).toBe('{"pin":"redacted-pin-1","note":"amount"}')
  })
})

describe('what a server repeats', () => {
  const secret = 'S3cr3t&value<1>'
  const spellings: Record<string, (text: string) => string> = {
    entities: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&#x3E;'),
    'every character': (text) => [...text].map((c) => `&#${c.charCodeAt(0)};`).join(''),
    hex: (text) => Buffer.from(text).toString('hex'),
    HEX: (text) => Buffer.from(text).toString('hex').toUpperCase(),
    'base64 twice': (text) => Buffer.from(Buffer.from(`a ${text}`).toString('base64')).toString('base64'),
    'hex of base64': (text) => Buffer.from(Buffer.from(text).toString('base64')).toString('hex'),
    JavaScript: (text) => [...text].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join(''),
  }

  it.each(Object.entries(spellings))('is found as %s', (_, spell) => {
    const { redact } = redactor()
    const { reply } = redact(
      exchange({ target: '/v1/x', body: { client_secret: secret }, reply: `you sent ${spell(secret)}!` }),
    ).exchange
    expect(bodyText(reply)).toMatch(/^you sent redacted-[\w-]+!$/)
  })

  it('is found in property names, and in no pointer made of them', () => {
    const { redact } = redactor()
    const {
      exchange: both,
      redactions,
      bindings,
    } = redact(
      exchange({
        target: '/v1/x',
        body: { client_secret: secret, [secret]: { pin: 'x' } },
        reply: { [secret]: { '+2250712345678': { password: 'y' } }, phone: '+2250712345678' },
      }),
    )
    const all = JSON.stringify([bodyText(both.request), bodyText(both.reply), redactions, bindings])
    expect(all).not.toContain('S3cr3t')
    expect(all).not.toContain('0712345678')
    expect(redactions.map(({ place }) => place.pointer)).toContain(
      '/redacted-client-secret-1/+99900000001/password',
    )
  })

  it('is found in the name of a lane', () => {
    const sent = { ...exchange({ body: { client_secret: secret } }), lane: `lane-${secret}` }
    expect(redactor().redact(sent).exchange.lane).toBe('lane-redacted-client-secret-1')
  })
})

describe('a person', () => {
  it('is found in a text of the same exchange, however short the name, and in property names', () => {
    const { redact } = redactor()
    const { request, reply } = redact(
      exchange({
        target: '/v1/x',
        body: { firstName: 'Awa', lastName: 'Traore', note: 'for Awa Traore', Awa: 1, other: 'Awaiting' },
        reply: '<p>Hello AWA, &#84;raore</p>',
      }),
    ).exchange
    expect(bodyText(request)).toBe(
      '{"firstName":"First-1","lastName":"Last-1","note":"for First-1 Last-1","First-1":1,"other":"Awaiting"}',
    )
    expect(bodyText(reply)).toBe('<p>Hello AWA, Last-1</p>')
  })

  it('is known from an earlier exchange by phone, address and a name of five letters', () => {
    const { redact } = redactor()
    redact(
      exchange({ body: { firstName: 'Mariam', lastName: 'Ba', phone: '+2250712345678', email: 'm@x.ci' } }),
    )
    const twice = encodeURIComponent(encodeURIComponent('+2250712345678'))
    const later = redact(
      exchange({ target: `/v1/x?q=${twice}`, reply: { note: 'Mariam Ba, m@x.ci' } }),
    ).exchange
    expect(later.request.target).not.toContain('0712345678')
    expect(bodyText(later.reply)).toBe('{"note":"First-1 Ba, person-1@redacted.example"}')
  })
})

describe('a secret is known by what stands beside it', () => {
  const S = 'Zq9TtB2nR7wLc1d'

  it.each([
    ['a name beside a value', '{"fields":[{"name":"password","value":"S"}]}'],
    ['a key beside a value, in any order', '{"fields":[{"value":"S","key":"client_secret"}]}'],
    ['the attribute of an element', '<r><param name="password">S</param></r>', 'application/xml'],
    ['another attribute', '<r><add key="apiKey" value="S"/></r>', 'application/xml'],
    ['another element', '<r><p><name>password</name><value>S</value></p></r>', 'application/xml'],
    ['the head of a column', 'user,password\nawa,S\n', 'text/csv'],
    ['the kind of an input', '<html><input type="password" name="x" value="S">', 'text/html'],
    ['the flag of a command', 'run --password S now', 'text/plain'],
    ['a block of YAML', 'user: awa\npassword: |\n  S\n', 'application/yaml'],
    ['quotes of other languages', `password = """S""" and {'password': b'S'}`, 'text/plain'],
    ['a length', 's:8:"password";s:15:"S";', 'text/plain'],
    [
      'a name, an identifier and a label beside a value',
      '[{"name":"password","id":"f7","value":"S","label":"x"}]',
    ],
    ['a kind beside a value', '[{"type":"password","value":"S"}]'],
    ['a pair', '[["client_secret","S"]]'],
    ['names and values by turns', '{"rawHeaders":["Host","a","X-Api-Key","S"]}'],
    [
      'an element around the value',
      '<r><member><name>password</name><value><string>S</string></value></member></r>',
      'application/xml',
    ],
    ['an element in a text', '{"envelope":"<w:password>S</w:password>"}'],
    ['an element in an element', '<a>&lt;password&gt;S&lt;/password&gt;</a>', 'text/xml'],
    ['a sentence', '{"message":"Votre code de vérification est S."}'],
    ['a sentence about a password', 'The new password is S', 'text/plain'],
    ['a scheme', '{"detail":"sent Authorization: Token S"}'],
    ['a user of curl', '{"detail":"curl -u awa:S https://a.example"}'],
    ['a type of PHP', '["password"]=>\n  string(15) "S"', 'text/plain'],
    ['a field of YAML below it', 'password:\n  value: S\n', 'application/yaml'],
    ['another cookie', '{"detail":"Cookie: lang=fr; sid=S"}'],
  ])('%s', (_, text, type = 'application/json') => {
    const after = stored(text.replaceAll('S', S), type)
    expect(after).not.toContain(S)
    expect(after).toContain('redacted-')
  })

  it('in a path, and in the redirect that brings a code', () => {
    const { exchange: one } = redactor().redact(
      exchange({
        target: `/v1/password/${S}/reset`,
        replyHeaders: [['Location', `https://a.example/cb?code=${S}&state=1`]],
      }),
    )
    expect(JSON.stringify([one.request.target, one.reply?.headers])).not.toContain(S)
  })

  it('and what is called otherwise stays', () => {
    for (const body of [
      '{"fields":[{"name":"color","value":"Zq9TtB2n"}]}',
      '{"metadata":[{"key":"channel","value":"agent"}]}',
      '{"id":"acc_1VhYx3kQm4Zq9TtB2nR7wLc1d","value":5}',
      '{"required":["password","token"]}',
      '{"type":"string","value":"Zq9TtB2n"}',
      '{"detail":"The password is too short and the token is invalid. The PIN is 4 digits long."}',
      '{"detail":"The Idempotency-Key is not a UUID v4."}',
      '{"html":"<p>The code</p><password>Required</password>"}',
    ])
      expect(stored(body)).toBe(body)
  })
})
