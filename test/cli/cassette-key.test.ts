import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { annotate } from '../../src/cassettes/bindings/annotate.ts'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { DEFAULT_OUTCOMES } from '../../src/config/outcomes.ts'
import { exchange, HEADER, redactor, scratch } from '../cassettes/recording-fixtures.ts'
import { SIGN_IN, sandgate } from './cassette-fixtures.ts'

const directory = scratch()
const cassette = join(directory, 'keyed.har')
const program = join(directory, 'submit.sh')

/** Submits a person with the phone that it is given; by curl, since a Node.js takes longer to start than all that it asks. */
const PROGRAM = `
${SIGN_IN}
curl -sS -o /dev/null -H "authorization: Bearer $token" -H 'content-type: application/json' -H "idempotency-key: $(cat /proc/sys/kernel/random/uuid)" -d "{\\"phone\\":\\"$1\\"}" "$SANDGATE_URL/v1/kyc/submit"
`

const RECORDED = '+2250700000001'
const ANOTHER = '+2250700000099'
const KEY = 'a key that only the recording and its replay have'

function record(): void {
  const keyed = redactor({ cassetteKey: KEY }).redact(
    exchange({
      operation: 'kyc.submit',
      headers: [
        ['Authorization', 'Bearer token-of-the-recording'],
        ['Idempotency-Key', '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10'],
      ],
      body: { phone: RECORDED },
      reply: { sessionId: 'kyc_0VhYx3kQm4Zq9TtB2nR7wLc1d', status: 'verified', phone: RECORDED },
    }),
  )
  const { partner: _, ...stored } = keyed.exchange
  const { redactions, bindings } = keyed
  const interaction = { sequence: 1, ended: 1, ...stored, redactions, bindings }
  const interactions = annotate([interaction], { rules: DEFAULT_OUTCOMES, volatile: HEADER.volatile })
  writeHar(cassette, { ...HEADER, interactions }, createSecrets())
  writeFileSync(program, PROGRAM)
}

describe('a replay whose environment has the key of its cassette', () => {
  const replayed = (phone: string, env: Readonly<Record<string, string>>) =>
    sandgate(['replay', cassette, '--', 'sh', '-e', program, phone], env)

  it('compares the values that were redacted; without it, or with an empty one, any value will do', async () => {
    record()
    expect((await replayed(RECORDED, { SANDGATE_CASSETTE_KEY: KEY })).err).toMatch(/served 1, .* missed 0,/)
    expect((await replayed(ANOTHER, { SANDGATE_CASSETTE_KEY: KEY })).err).toMatch(/served 0, .* missed 1,/)
    expect((await replayed(ANOTHER, {})).err).toMatch(/served 1, .* missed 0,/)
    expect((await replayed(ANOTHER, { SANDGATE_CASSETTE_KEY: '' })).err).toMatch(/served 1, .* missed 0,/)
  })
})
