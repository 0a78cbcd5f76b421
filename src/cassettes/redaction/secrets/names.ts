import { remembered } from '../../../map-entries.ts'

/**
 * What a field holds, by the meaning of its name: the name is split into words, in whatever spelling, and the words say
 * it. A list of names would miss the next one.
 */
export type SecretMeaning = {
  /** What stands in the mark and in the cassette: a word of ours, never of the name. */
  readonly type: string
  /** `key` and `token` alone say it of a text only: a number under them is a count. */
  readonly textOnly: boolean
}

/** Words that say it wherever they stand in a name. */
const STRONG: ReadonlyMap<string, string> = new Map(
  Object.entries({
    secret: 'secret',
    password: 'password',
    passwd: 'password',
    passphrase: 'passphrase',
    passcode: 'password',
    pwd: 'password',
    psw: 'password',
    mdp: 'password',
    passwort: 'password',
    kennwort: 'password',
    contrasena: 'password',
    senha: 'password',
    mpin: 'pin',
    puk: 'pin',
    psk: 'key',
    whsec: 'secret',
    pin: 'pin',
    nip: 'pin',
    otp: 'otp',
    totp: 'otp',
    hotp: 'otp',
    cvv: 'cvv',
    cvc: 'cvv',
    csc: 'cvv',
    credential: 'credentials',
    mnemonic: 'passphrase',
    apikey: 'key',
    passkey: 'key',
    pan: 'card-number',
  }),
)

/** Words that say it when the value is what they name: at the end, of a text. */
const WEAK: ReadonlyMap<string, string> = new Map(
  Object.entries({
    key: 'key',
    token: 'token',
    pass: 'password',
    auth: 'credentials',
    authorization: 'credentials',
    bearer: 'token',
    jwt: 'token',
    csrf: 'token',
    xsrf: 'token',
    cookie: 'cookie',
    signature: 'signature',
    sig: 'signature',
    assertion: 'token',
    jeton: 'token',
    hmac: 'signature',
    jsessionid: 'cookie',
    phpsessid: 'cookie',
    cle: 'key',
    clave: 'password',
  }),
)

/** Two words, one after the other. */
const PAIRS: readonly (readonly [first: RegExp, second: RegExp, type: string])[] = [
  [/^(?:card|carte|pan|cc)$/, /^(?:number|num|no|nr|numero)$/, 'card-number'],
  [/^(?:numero|num|no|number)$/, /^(?:carte|card|pan)$/, 'card-number'],
  [
    /^(?:security|verification|auth|authentication|authorization|access|pin|otp|sms|confirmation|activation|recovery|backup|reset|mfa|fa|factor|secure|one|puk|unlock|login)$/,
    /^(?:code|codes)$/,
    'code',
  ],
  [/^code$/, /^(?:pin|otp|sms|secret|securite|confirmation|verification)$/, 'code'],
  [/^(?:seed|recovery|secret)$/, /^(?:phrase|words)$/, 'passphrase'],
  [/^code$/, /^verifier$/, 'code'],
  [/^(?:security|secret|question)$/, /^(?:answer|answers|reponse)$/, 'secret'],
  [/^saml$/, /^response$/, 'token'],
  [/^magic$/, /^(?:link|url)$/, 'token'],
  [/^backup$/, /^(?:code|codes)$/, 'code'],
  [/^connection$/, /^string$/, 'credentials'],
  [/^pass$/, /^(?:word|words|phrase|code|key)$/, 'password'],
  [/^onetime$/, /^(?:code|password)$/, 'otp'],
]

/** Written as one word, in one case: `clientsecret`, `CARDNUMBER`. */
const JOINED: readonly (readonly [RegExp, string])[] = [
  [/passw(?:or)?d|passcode|motdepasse/, 'password'],
  [/passphrase|seedphrase/, 'passphrase'],
  [/secret(?!ar)/, 'secret'],
  [/credentials?/, 'credentials'],
  [/(?:api|access|private|secret|signing|encryption|master|auth|account|service)keys?/, 'key'],
  [/(?:access|refresh|id|auth|session|bearer|csrf|xsrf|api|secret)tokens?/, 'token'],
  [/primaryaccountnumber|card(?:number|num|no)$|numero(?:de)?carte|ccnum(?:ber)?/, 'card-number'],
  [/(?:security|verification|auth|access|pin|otp|sms)code|code(?:pin|otp|secret|securite)/, 'code'],
  [/onetime(?:code|pin|token)/, 'otp'],
  [/^(?:user|card|my|new|old|the)?(?:pin|otp|cvv|cvc)2?$/, 'pin'],
]

/** A name that ends so says something about the secret, and not the secret. */
const ABOUT = new Set(
  (
    'id ids type types name names at on by count counts length size url uri endpoint status state expiry expires expire ' +
    'expiration expired stored minted required enabled disabled policy algorithm alg version format limit max min ttl ' +
    'channel scheme created updated rotated last present set valid verified attempts attempt remaining sent method ' +
    'delivery issuer scope scopes usage usages kind description label hint field fields in date time seconds minutes ' +
    'minted supported allowed mode position index prefix masked last4 brand network issuer holder owner ref reference ' +
    'title strength change changed reset rotation rotations error errors message'
  ).split(' '),
)
const ABOUT_JOINED =
  /(?:type|name|count|length|expiry|expires(?:in|at)?|expiration|stored|minted|required|enabled|policy|algorithm|version|status|verified|attempts|remaining|endpoint|url|createdat|updatedat|issuer|scopes?)$/

/** Before `key` and `token`: what everybody may know. */
const OPEN = new Set(
  (
    'public primary foreign sort partition cache idempotency group object translation message label error natural ' +
    'composite unique map item page next previous prev continuation sync cursor pagination lookup search routing dedup ' +
    'deduplication country locale language i18n hash row field sorting grouping stream event'
  ).split(' '),
)

/** After `key` and `token`: still the value itself. */
const VALUE = new Set(
  'value text string raw data material content plain new old current confirm confirmation again hex base64 pem hash digest encrypted clear'.split(
    ' ',
  ),
)

/** What a secret is called inside an object that is called after it. */
const INNER = new Set([...VALUE, 'key', 'token', 'k', 'd', 'p', 'q', 'x'])

/** Words of French between two that belong together: `code de vérification`. */
const LINKING = new Set(['de', 'du', 'la', 'le', 'd', 'l'])

/** Longer names say nothing that a person would have written. */
const MAX_NAME = 200

/** Undefined when the name means no secret. */
export function secretMeaning(name: string): SecretMeaning | undefined {
  // A stand-in says what stood there, and not what stands under it.
  if (name.length > MAX_NAME || name.includes('redacted-')) return undefined
  return meaningOfName(name)
}

const meaningOfName = remembered((name) => meaningOf(wordsOf(name)))

/** Whether a name inside an object called after a secret can be that of the secret itself. */
export function isInnerName(name: string, textOnly: boolean): boolean {
  const words = wordsOf(name)
  const last = words.at(-1)
  if (last === undefined) return true
  return textOnly ? INNER.has(last) : !ABOUT.has(last)
}

/** `clientSecret`, `CLIENT_SECRET`, `client-secret2` and `Client Secret` are two words each. */
export function wordsOf(name: string): string[] {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
}

function meaningOf(words: readonly string[]): SecretMeaning | undefined {
  const last = words.at(-1)
  if (last === undefined || ABOUT.has(last)) return undefined
  const plain = words.filter((word) => !LINKING.has(word))
  const singles = words.map((word) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word))
  for (const word of singles) {
    const type = STRONG.get(word)
    if (type !== undefined) return { type, textOnly: false }
  }
  for (const [i, word] of plain.entries()) {
    for (const [first, second, type] of PAIRS)
      if (first.test(word) && second.test(plain[i + 1] ?? '')) return { type, textOnly: false }
  }
  const joined = words.join('')
  const pair = JOINED.find(([pattern]) => pattern.test(joined))
  if (pair && !ABOUT_JOINED.test(joined)) return { type: pair[1], textOnly: false }
  let head = singles.length - 1
  while (head > 0 && VALUE.has(singles[head] ?? '')) head--
  const weak = WEAK.get(singles[head] ?? '')
  if (weak === undefined || OPEN.has(singles[head - 1] ?? '')) return undefined
  return { type: weak, textOnly: true }
}

/** The words that stand in marks and rules for what a name means. None of them is ever looked for as a secret. */
export const MEANING_TYPES: readonly string[] = [
  ...new Set([...STRONG.values(), ...WEAK.values(), 'card-number', 'code', 'assignment']),
]
