import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { annotate } from '../../../src/cassettes/bindings/annotate.ts'
import { VOLATILE } from '../../../src/cassettes/bindings/contract.ts'
import { writeHar } from '../../../src/cassettes/file/har/write.ts'
import type { CapturedExchange, Cassette } from '../../../src/cassettes/interaction.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { DEFAULT_OUTCOMES } from '../../../src/config/outcomes.ts'
import { exchange, HEADER, redactor } from '../recording-fixtures.ts'

export const rules = DEFAULT_OUTCOMES

export function cassetteOf(exchanges: readonly CapturedExchange[], cassetteKey?: string): Cassette {
  const { redact } = redactor(cassetteKey === undefined ? {} : { cassetteKey })
  const interactions = exchanges.map((one, i) => {
    const { exchange: stored, redactions, bindings } = redact(one)
    const { startedAt, durationMs, lane, operation, origin, request, reply } = stored
    return {
      sequence: i + 1,
      ended: i + 1,
      startedAt,
      durationMs,
      lane,
      operation,
      origin,
      request,
      reply,
      redactions,
      bindings,
    }
  })
  return { ...HEADER, interactions: annotate(interactions, { rules, volatile: VOLATILE }) }
}

/** Writes a cassette into a directory, and changes its text. */
export function written(
  directory: string,
  name: string,
  cassette: Cassette,
  change = (text: string) => text,
): string {
  const path = join(directory, name)
  writeHar(path, cassette, createSecrets())
  writeFileSync(path, change(readFileSync(path, 'utf8')))
  return path
}

export const account = (n: number, phone = '+2250712345678', more: object = {}) =>
  exchange({
    operation: 'accounts.open',
    target: '/v1/accounts/open',
    startedAt: HEADER.t0 + n,
    headers: [['Idempotency-Key', `00000000-0000-4000-8000-00000000000${n % 10}`]],
    body: { customerRef: `C-${n}`, phone, firstName: 'Awa' },
    status: 201,
    reply: {
      accountId: `acc_${n}VhYx3kQm4Zq9TtB2nR7wLc1d`,
      phone,
      openedAt: new Date(HEADER.t0 + n).toISOString(),
      ...more,
    },
  })
export const read = (n: number, phone = '+2250712345678') =>
  exchange({
    operation: 'accounts.read',
    method: 'GET',
    target: `/v1/accounts/acc_${n}VhYx3kQm4Zq9TtB2nR7wLc1d`,
    startedAt: HEADER.t0 + 100 + n,
    reply: { accountId: `acc_${n}VhYx3kQm4Zq9TtB2nR7wLc1d`, phone },
  })
