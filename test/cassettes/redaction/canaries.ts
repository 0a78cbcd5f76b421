import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { CapturedExchange } from '../../../src/cassettes/interaction.ts'
import { exchange } from '../recording-fixtures.ts'

/** A value that must reach no disk: `cores` are the parts of it that nothing but a leak can bring there. */
export type Canary = { readonly value: string; readonly cores: readonly string[] }

const core = fc.stringMatching(/^[B-DF-HJ-NP-TV-Z][a-z][2-9][A-Za-z0-9]{7,10}$/)
const glue = fc.constantFrom('', '&', '"', '+', '/', ' ', "'<", '%', '\\', 'é')
const secret: fc.Arbitrary<Canary> = fc
  .tuple(core, glue, core)
  .map(([a, between, b]) => ({ value: `${a}${between}${b}`, cores: [a, b] }))

const WORDS = [
  ['client', 'secret'],
  ['password'],
  ['new', 'password'],
  ['pass', 'phrase'],
  ['api', 'key'],
  ['access', 'token'],
  ['token'],
  ['pin', 'code'],
  ['one', 'time', 'code'],
  ['card', 'number'],
  ['webhook', 'signing', 'secret'],
  ['verification', 'code'],
] as const
const upperFirst = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const CASES: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('_'),
  (words) => words.join('-').toUpperCase(),
  (words) => words.map((word, i) => (i === 0 ? word : upperFirst(word))).join(''),
  (words) => words.map(upperFirst).join('.'),
]
const secretName = fc
  .tuple(fc.constantFrom(...WORDS), fc.constantFrom(...CASES))
  .map(([words, how]) => how(words))

const entities = (text: string) => [...text].map((c) => `&#${c.codePointAt(0)};`).join('')
const percent = (text: string) => encodeURIComponent(text)
const base64 = (text: string) => Buffer.from(text).toString('base64')
export const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  percent,
  (text) => percent(percent(text)),
  entities,
  (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  base64,
  (text) => base64(`ab${text}`),
  (text) => base64(base64(text)),
  (text) => Buffer.from(text).toString('hex'),
  (text) => gzipSync(text).toString('base64'),
]

/** How a value is sent so that its name says what it is. */
const SENT: readonly ((name: string, value: string) => Partial<Parameters<typeof exchange>[0]>)[] = [
  (name, value) => ({ body: { a: 1, [name]: value } }),
  (name, value) => ({ body: { metadata: [{ deep: { [name]: value } }] } }),
  (name, value) => form(`a=1&${percent(name)}=${percent(value)}`),
  (name, value) => ({ target: `/v1/x?${percent(name)}=${percent(value)}` }),
  (name, value) => typed('application/xml', `<r><n:${name}>${entities(value)}</n:${name}></r>`),
  (name, value) =>
    typed(
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--`,
    ),
  (name, value) => ({ body: { note: `{"${name}": ${JSON.stringify(value)}}` } }),
  (name, value) => ({ body: { fields: [{ value, name }] } }),
  (name, value) => typed('application/xml', `<r><add key="${name}" value="${entities(value)}"/></r>`),
  (name, value) => typed('text/csv', `a,${name}\n1,"${value.replaceAll('"', '""')}"\n`),
  (_, value) => ({
    headers: [['Authorization', `Bearer ${percent(value)}`]],
    body: { client_secret: value },
  }),
  (name, value) => ({ headers: [['X-Api-Key', value]], body: { [name]: value } }),
]

const form = (body: string) => typed('application/x-www-form-urlencoded', body)
const typed = (type: string, body: string) => ({
  headers: [['Content-Type', type]] as const,
  body: Buffer.from(body),
})

/** Where a server repeats it. `ascii`: in a header. */
const SHOWN: readonly ((text: string) => Partial<Parameters<typeof exchange>[0]>)[] = [
  (text) => ({ reply: { detail: `you sent ${text}, which is wrong` } }),
  (text) => ({ reply: { errors: { [text]: ['unknown'] } } }),
  (text) => ({ reply: `<p title="x">You sent ${text}</p>`, replyHeaders: [['Content-Type', 'text/html']] }),
  (text) => ({
    reply: new Uint8Array(gzipSync(`note: ${text}`)),
    replyHeaders: [['Content-Type', 'application/x-log']],
  }),
  (text) => ({ replyHeaders: [['Link', `<https://a.example/?x=${percent(text)}>; rel="next"`]] }),
  (text) => ({ replyHeaders: [['Location', `https://a.example/cb/${percent(text)}`]], status: 302 }),
]

export type Told = { readonly canary: Canary; readonly exchange: CapturedExchange }

const secretTold = fc
  .tuple(
    secret,
    secretName,
    fc.constantFrom(...SENT),
    fc.constantFrom(...SHOWN),
    fc.constantFrom(...SPELLINGS),
  )
  .map(([canary, name, send, show, spell]): Told => {
    const { value } = canary
    return { canary, exchange: exchange({ target: '/v1/x', ...send(name, value), ...show(spell(value)) }) }
  })

const person = fc.oneof(
  core.map((value) => ({ name: 'firstName', canary: { value, cores: [value] } })),
  core.map((value) => ({ name: 'LAST_NAME', canary: { value, cores: [value] } })),
  fc
    .stringMatching(/^[2-9]{9}$/)
    .map((digits) => ({ name: 'phone', canary: { value: `+225${digits}`, cores: [digits] } })),
  core.map((value) => ({ name: 'email', canary: { value: `${value}@x.ci`, cores: [value] } })),
)
const PERSON_SENT: typeof SENT = [
  (name, value) => ({ body: { [name]: value } }),
  (name, value) => ({ body: { fields: [{ name, value }] } }),
  (name, value) => ({ body: { payload: JSON.stringify({ a: JSON.stringify({ [name]: value }) }) } }),
  (name, value) => ({ body: { note: `${name}: ${value}, as agreed` } }),
  (name, value) => typed('text/csv', `${name};amount\n${value};500\n`),
]
const personTold = fc
  .tuple(
    person,
    fc.constantFrom(...PERSON_SENT),
    fc.constantFrom(...SHOWN),
    fc.constantFrom(...SPELLINGS.slice(0, 7)),
  )
  .map(([{ name, canary }, send, show, spell]): Told => {
    const { value } = canary
    return { canary, exchange: exchange({ target: '/v1/x', ...send(name, value), ...show(spell(value)) }) }
  })

/** One canary, sent under a name of its own and repeated somewhere. */
export const told: fc.Arbitrary<Told> = fc.oneof(
  { weight: 3, arbitrary: secretTold },
  { weight: 1, arbitrary: personTold },
)

/** What of a canary stands in a text, in the spellings that can be searched for without the code under test. */
export function leaksIn(text: string, { cores }: Canary): string[] {
  return cores.flatMap((one) => {
    const bytes = Buffer.from(one)
    const aligned = [0, 1, 2].map((before) =>
      Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .slice(before === 0 ? 0 : before + 1, -4),
    )
    return [one, bytes.toString('hex'), entities(one), ...aligned].filter((spelled) => text.includes(spelled))
  })
}
