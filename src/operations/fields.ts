import Type, { type TSchema } from 'typebox'
import { isLoopbackHost } from '../http/loopback.ts'
import { COUNTRIES } from './countries.ts'

/**
 * The fields that operations share, each defined once, with our annotations (annotations.ts). `expected` never repeats
 * the value that was sent.
 */
const REFERENCE = '^[A-Za-z0-9._:-]{1,64}$'

export const Reference = (description: string, example: string) =>
  Type.String({
    pattern: REFERENCE,
    description,
    examples: [example],
    volatile: true,
    expected: '1 to 64 of the characters A-Z a-z 0-9 . _ : -',
  })

export const Phone = Type.String({
  pattern: '^\\+[1-9][0-9]{6,14}$',
  description: 'International format: + and 7 to 15 digits, without spaces.',
  examples: ['+2250700000001'],
  personal: true,
  standIn: 'phone',
  expected:
    'an international number such as +2250700000001: a plus sign and 7 to 15 digits, without spaces or 00',
})

const MAX_XOF = Number.MAX_SAFE_INTEGER

export const Amount = Type.Integer({
  format: 'int64',
  minimum: 1,
  maximum: MAX_XOF,
  description: 'Whole XOF; the franc has no minor unit, so nothing is multiplied by 100.',
  examples: [5077],
  expected: `a JSON number that is a whole number of XOF from 1 to ${MAX_XOF}`,
})

/** What the sandbox works out in whole XOF; it may be above every amount that can be sent. */
export const Total = (description: string, example: number) =>
  Type.Integer({ format: 'int64', minimum: 1, description, examples: [example] })

export const TermMonths = Type.Integer({
  minimum: 1,
  maximum: 60,
  description: 'Number of monthly payments.',
  examples: [6],
  expected: 'a whole number of months from 1 to 60',
})

export const Currency = Type.Unsafe<'XOF'>({
  type: 'string',
  enum: ['XOF'],
  description: 'Always XOF.',
  examples: ['XOF'],
  expected: '"XOF"',
})

const text = (
  minLength: number,
  maxLength: number,
  description: string,
  example: string,
  more: object = {},
) =>
  Type.String({
    minLength,
    maxLength,
    description,
    examples: [example],
    expected: `a text of ${minLength} to ${maxLength} characters`,
    ...more,
  })

export const FirstName = text(1, 100, 'Given name.', 'Awa', { personal: true, standIn: 'First' })
export const LastName = text(1, 100, 'Family name.', 'Koné', { personal: true, standIn: 'Last' })
export const LegalName = text(1, 100, 'Registered name of the business.', 'Baobab SARL', {
  personal: true,
  standIn: 'Business',
})
export const Description = text(0, 200, 'Free text.', 'School fees')
export const Purpose = text(0, 200, 'What the credit is for.', 'Working capital')
export const RegistrationNumber = text(1, 64, 'Trade register number.', 'CI-ABJ-2020-B-12345', {
  personal: true,
  standIn: 'REG',
})
export const TaxId = text(1, 64, 'Tax number.', '2012345A', { personal: true, standIn: 'TAX' })

export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@\\u0000]{1,64}@[^\\s@.\\u0000]+(\\.[^\\s@.\\u0000]+)+$',
  description: 'E-mail address.',
  examples: ['awa.kone@example.com'],
  personal: true,
  standIn: 'email',
  expected: 'an e-mail address of at most 254 characters',
})

export const Country = Type.Refine(
  Type.String({
    pattern: `^(?:${[...COUNTRIES].join('|')})$`,
    description: 'ISO 3166-1 alpha-2.',
    examples: ['CI'],
    expected: 'an ISO 3166-1 alpha-2 country code such as CI',
  }),
  (code) => COUNTRIES.has(code),
)

export const DateOfBirth = Type.Refine(
  Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    format: 'date',
    description: 'A date in the past, YYYY-MM-DD.',
    examples: ['1990-04-12'],
    personal: true,
    past: true,
    expected: 'a date in the past, written YYYY-MM-DD',
  }),
  isCalendarDate,
)

export const Document = Type.Object(
  {
    type: text(1, 32, 'Kind of document.', 'national_id'),
    number: text(1, 40, 'Number of the document.', 'C0012345678', { personal: true, standIn: 'DOC' }),
  },
  {
    additionalProperties: false,
    description: 'Identity document.',
    expected: 'an object with type and number',
  },
)

const METADATA_KEYS = 20

export const Metadata = Type.Refine(
  Type.Record(
    Type.String({ pattern: '^[\\s\\S]{1,40}$' }),
    Type.String({ maxLength: 500, expected: 'a text of at most 500 characters' }),
    {
      additionalProperties: false,
      maxProperties: METADATA_KEYS,
      description: 'Up to 20 texts of yours, kept as they are.',
      examples: [{ branch: 'Plateau' }],
      expected: 'an object of at most 20 texts, with keys of 1 to 40 characters and values of at most 500',
    },
  ),
  (value) => Object.keys(value).length <= METADATA_KEYS,
)

const identifier = (prefix: string, description: string, example = '0VhYx3kQm4Zq9TtB2nR7wLc1d') =>
  Type.String({
    pattern: `^${prefix}_[A-Za-z0-9_-]{1,128}$`,
    description,
    examples: [`${prefix}_${example}`],
    expected: `an identifier that starts with ${prefix}_`,
  })

export const AccountId = identifier('acc', 'The account.')
export const KycId = identifier('kyc', 'The identity decision.')
export const KybId = identifier('kyb', 'The business decision.')
export const SessionId = identifier('kws', 'The widget session.', '0VhYx3kQmAbCdEfGhIjKlMnOpQrStUv-demo')
export const PaymentId = identifier('pay', 'The payment.')
export const SimulationId = identifier('sim', 'The credit simulation.')
export const CreditId = identifier('crd', 'The credit application.')
export const WebhookId = identifier('wh', 'The webhook endpoint.')

export const Instant = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^[0-9-]{10}T[0-9:]{8}\\.[0-9]{3}Z$',
    description,
    examples: ['2026-01-15T09:30:00.000Z'],
  })

export const CustomerRef = Reference('Your reference for the customer.', 'CUS-0001')
export const BusinessRef = Reference(
  'Your reference for the business; its last digits select sandbox outcomes.',
  'BUS-001',
)
export const PaymentReference = Reference('Your reference for the payment.', 'INV-2026-0042')

const URL_MAX = 2048

/** After the slashes: a host, perhaps a port, and no user information. */
const AUTHORITY = '[^/?#@\\\\\\s]+(?:[/?#]\\S*)?'

export const WebhookUrl = Type.Refine(
  Type.String({
    minLength: 1,
    maxLength: URL_MAX,
    format: 'uri',
    pattern: `^[Hh][Tt][Tt][Pp][Ss]?://${AUTHORITY}$`,
    description: 'Absolute http or https URL without user information. Stored, never called.',
    examples: ['https://partner.example.com/hooks/sandgate'],
    expected: 'an absolute http or https URL of at most 2048 characters, without user information',
  }),
  (url) => {
    const parsed = absoluteUrl(url)
    return parsed !== undefined && isHttp(parsed) && parsed.username === '' && parsed.password === ''
  },
)

export const RedirectUrl = Type.Refine(
  Type.String({
    minLength: 1,
    maxLength: URL_MAX,
    format: 'uri',
    pattern: `^(?:[Hh][Tt][Tt][Pp][Ss]://${AUTHORITY}|[Hh][Tt][Tt][Pp]://(?:localhost|127\\.[0-9.]+|\\[::1\\])(?::[0-9]+)?(?:[/?#]\\S*)?)$`,
    description: 'Where the widget leads when it is done: https, or http on loopback.',
    examples: ['https://partner.example.com/kyc/done'],
    expected:
      'an absolute https URL (http only on loopback) of at most 2048 characters, without user information',
  }),
  (url) => {
    const parsed = absoluteUrl(url)
    if (parsed === undefined || parsed.username !== '' || parsed.password !== '') return false
    return parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopbackHost(parsed.hostname))
  },
)

const EVENT_RULE = 'at least 1 and at most 50 event names of a-z 0-9 _ . -, each at most 100 characters, or *'

export const EventNames = Type.Array(
  Type.String({
    pattern: '^([a-z0-9_.-]{1,100}|\\*)$',
    expected: 'an event name such as payment.decided, or *',
  }),
  {
    minItems: 1,
    maxItems: 50,
    description: 'The events to deliver in production, or * for all.',
    examples: [['payment.decided', 'kyc.decided']],
    expected: EVENT_RULE,
  },
)

export const SigningSecret = text(
  16,
  256,
  'May be sent; it is never stored.',
  'whsec_c2FuZGdhdGUtZXhhbXBsZQ==',
  {
    secret: true,
  },
)

export const PageLimit = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'How many items a page holds; 20 when absent.',
  examples: [20],
  expected: 'a whole number from 1 to 100',
})

export const Cursor = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The nextCursor of the page before; opaque.',
  expected: 'the nextCursor of an earlier page, unchanged',
})

export const WidgetUrl = Type.String({ format: 'uri', description: 'The page to open.' })

/** A closed object: unknown properties are refused by name. */
export const closed = <P extends Type.TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** The closed set of texts, as a JSON Schema enum. */
export const oneOf = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({
    type: 'string',
    enum: [...values],
    description,
    examples: [values[0]],
    expected: `one of ${values.join(', ')}`,
  })

export const nullableCode = (code: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: [code, null],
    description: `${code} when refused, else null.`,
    examples: [null],
  })

function isCalendarDate(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00.000Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
}

function absoluteUrl(url: string): URL | undefined {
  // The URL parser forgives white space, control characters, backslashes and missing slashes; a stored URL that
  // other tools must read the same way has none of them.
  if (!/^https?:\/\/[^\s\\]+$/i.test(url) || /\p{Cc}/u.test(url)) return undefined
  return URL.canParse(url) ? new URL(url) : undefined
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}
