import { readdirSync } from 'node:fs'
import { loadCassette } from '../src/cassettes/file/load.ts'
import type { CapturedExchange, Redaction } from '../src/cassettes/interaction.ts'
import { CONTRACT_FIELDS, redactionPolicy } from '../src/cassettes/redaction/contract.ts'
import { createRedactor, type Redactor } from '../src/cassettes/redaction/redactor.ts'
import { createSecrets } from '../src/cassettes/redaction/secrets/secrets.ts'
import { DEFAULT_OUTCOMES } from '../src/config/outcomes.ts'
import { ROWS } from '../src/operations/operations.ts'

const BODIES = 200

/**
 * What redaction takes out that is neither a secret nor a person. The shipped recordings were looked through by hand, so
 * whatever is found in them once more is a false alarm; and so is what is taken out of 200 bodies of this interface
 * beside the fields that the contract annotates and what repeats them.
 */
export function benchAlarms(): void {
  const shipped = readdirSync('recordings').filter((name) => name.endsWith('.har'))
  const again = newRedactor()
  let exchanges = 0
  const inShipped: string[] = []
  for (const name of shipped) {
    for (const interaction of loadCassette(`recordings/${name}`).interactions) {
      exchanges++
      const held = new Set(interaction.redactions.map(({ place }) => `${place.part} ${place.pointer}`))
      const { redactions } = again.redact({ ...interaction, partner: undefined })
      inShipped.push(
        ...redactions
          .filter(({ place }) => !held.has(`${place.part} ${place.pointer}`))
          .map((one) => described(name, one)),
      )
    }
  }
  const fresh = newRedactor()
  const bodies = [...realisticBodies()]
  const inBodies = bodies.flatMap(({ operation, body }) =>
    fresh
      .redact(exchangeOf(operation, body))
      .redactions.filter((one) => !isAnnotated(one))
      .map((one) => described(operation, one)),
  )
  console.log(
    [
      '### False alarms of redaction',
      '',
      '| Looked through | Count | False alarms |',
      '|---|--:|--:|',
      `| exchanges of the shipped recordings | ${exchanges} | ${inShipped.length} |`,
      `| realistic bodies of this interface | ${bodies.length} | ${inBodies.length} |`,
      '',
      ...[...inShipped, ...inBodies].map((line) => `- ${line}`),
    ].join('\n'),
  )
}

function newRedactor(): Redactor {
  const secrets = createSecrets(CONTRACT_FIELDS.words)
  return createRedactor({ policy: redactionPolicy(), secrets, rules: DEFAULT_OUTCOMES })
}

function described(where: string, { place, kind, rule }: Redaction): string {
  return `${where}: ${place.part} ${place.pointer} (${kind} ${rule})`
}

/** By a field of the contract, or in what holds such a value once more. No metadata here is a person. */
function isAnnotated({ kind, rule, place }: Redaction): boolean {
  if (kind === 'personal' && place.pointer.startsWith('/metadata/')) return false
  const annotated = new Set(Object.values(CONTRACT_FIELDS.rules).map(({ type }) => type))
  return kind === 'personal' || annotated.has(rule)
}

/** What partners put beside the fields of the interface. */
const METADATA: readonly Readonly<Record<string, unknown>>[] = [
  { order: 'A-1042', channel: 'mobile', note: 'paid at the counter', attempts: 3 },
  { keyword: 'loan', monkey: 'business', pinned: true, tokens: 120, tokenCount: 4 },
  { source: 'web', passport: 'yes', keyId: 'key_demo', publicKey: 'AAAA-1', sort_key: 'createdAt' },
  {
    notes: 'Idempotency-Key: see the guide. Token type: Bearer',
    locale: 'fr-CI',
    sessionLength: '15 minutes',
  },
  {
    comment: 'le code postal: 00225, la carte: bleue',
    shipping: 'express',
    opinion: 'good',
    secretary: 'Mme B.',
  },
  { hash: 'd41d8cd98f00b204e9800998ecf8427e', uuid: '6f1b2c34-9d5e-4f60-8a7b-1c2d3e4f5a6b', page: 2 },
  { cursor: 'eyJpZCI6ImFjY18xIn0', next: '/v1/accounts?cursor=eyJpZCI6ImFjY18xIn0', total: 18 },
  {
    help: 'write to support@partner.example, such as +33612345678',
    invoice: '2026-0042-0017-9931',
    ean: '4006381333931',
    tracking: '1Z999AA10123456784',
    addressType: 'home',
    phoneVerified: 'yes',
    accountName: 'Savings',
    idNumberRequired: false,
    reason: 'The last name: missing. The passport number is not valid.',
  },
  { url: 'https://partner.example/orders/1042?lang=fr#top', schedule: '08:00-18:00', ratio: '16:9' },
]

function* realisticBodies(): Generator<{ readonly operation: string; readonly body: unknown }> {
  const examples = ROWS.flatMap(({ id, exampleBody, success }) => [
    ...(exampleBody ? [{ operation: id, body: exampleBody }] : []),
    { operation: id, body: success.example },
  ]).filter(({ body }) => body !== undefined)
  for (let i = 0; i < BODIES; i++) {
    const example = examples[i % examples.length]
    if (example === undefined) return
    const { operation, body } = example
    const metadata = { ...METADATA[i % METADATA.length], line: i, amount: 1000 + i * 77 }
    yield { operation, body: { ...body, metadata } }
  }
}

function exchangeOf(operation: string, body: unknown): CapturedExchange {
  const headers = [['Content-Type', 'application/json']] as const
  const bytes = Buffer.from(JSON.stringify(body))
  return {
    startedAt: Date.UTC(2026, 0, 15),
    durationMs: 1,
    partner: undefined,
    lane: 'demo',
    operation,
    origin: 'upstream',
    request: { method: 'POST', target: '/v1/x', httpVersion: '1.1', headers, body: bytes },
    reply: { status: 200, headers, body: bytes },
  }
}
