import { randomUUID } from 'node:crypto'
import { annotate } from '../../src/cassettes/bindings/annotate.ts'
import { VOLATILE } from '../../src/cassettes/bindings/contract.ts'
import type { CapturedExchange, Cassette, Interaction } from '../../src/cassettes/interaction.ts'
import { redactionPolicy } from '../../src/cassettes/redaction/contract.ts'
import { createRedactor } from '../../src/cassettes/redaction/redactor.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { createSend } from '../../src/cli/sandbox-client.ts'
import { DEFAULT_OUTCOMES } from '../../src/config/outcomes.ts'
import type { HeaderLine } from '../../src/http/header-lines.ts'
import { operationOf } from '../../src/operations/operations.ts'
import { HEADER } from '../cassettes/recording-fixtures.ts'

export { runHere as sandgate } from '../support/command-line.ts'

/** What a recorder makes of exchanges: redacted, numbered, bound. */
export function cassetteOf(exchanges: readonly CapturedExchange[], more: Partial<Cassette> = {}): Cassette {
  const rules = DEFAULT_OUTCOMES
  const { redact } = createRedactor({ policy: redactionPolicy(), secrets: createSecrets(), rules })
  const interactions = exchanges.map((one, i): Interaction => {
    const { exchange, redactions, bindings } = redact(one)
    const { partner: _, ...stored } = exchange
    return { sequence: i + 1, ended: i + 1, ...stored, redactions, bindings }
  })
  return { ...HEADER, interactions: annotate(interactions, { rules, volatile: VOLATILE }), ...more }
}

export type Recording = {
  readonly exchanges: readonly CapturedExchange[]
  /** Sends a request to the sandbox and keeps what passed; the body of the reply. */
  readonly send: (
    method: string,
    target: string,
    body?: object | string,
    headers?: readonly HeaderLine[],
  ) => Promise<Record<string, unknown>>
  /** From now on requests carry a token for these scopes. */
  readonly login: (scope?: string) => Promise<void>
}

/** Records what a client says to a real gateway, over a real socket. */
export function recordFrom(url: string, { keyId, secret }: { keyId: string; secret: string }): Recording {
  const ask = createSend(new URL(url))
  const exchanges: CapturedExchange[] = []
  let token: string | undefined
  const send: Recording['send'] = async (method, target, body, headers = []) => {
    const isForm = typeof body === 'string'
    const lines: HeaderLine[] = [
      ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
      ...(body === undefined
        ? []
        : [['Content-Type', isForm ? 'application/x-www-form-urlencoded' : 'application/json'] as const]),
      ...(method === 'POST' && !isForm ? [['Idempotency-Key', randomUUID()] as const] : []),
    ]
    // The same name again means: instead.
    const kept = lines.filter(([name]) => !headers.some(([other]) => other === name))
    const request = {
      method,
      target,
      httpVersion: '1.1' as const,
      headers: [...kept, ...headers],
      body: Buffer.from(body === undefined ? '' : isForm ? body : JSON.stringify(body)),
    }
    const reply = await ask(request)
    exchanges.push({
      startedAt: HEADER.t0 + exchanges.length * 10,
      durationMs: 1,
      partner: 'demo',
      lane: keyId,
      operation: operationOf(method, target),
      origin: 'upstream',
      request,
      reply,
    })
    return reply.body.length === 0 ? {} : JSON.parse(Buffer.from(reply.body).toString())
  }
  const login = async (scope?: string) => {
    token = undefined
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: keyId,
      client_secret: secret,
    })
    if (scope !== undefined) form.set('scope', scope)
    token = String((await send('POST', '/auth/token', form.toString())).access_token)
  }
  return { exchanges, send, login }
}

/** Lines of a shell that put a token into `token`, of a replay whose address is in SANDGATE_URL. */
export const SIGN_IN = `token=$(curl -sS -d 'client_id=key_demo&client_secret=any' "$SANDGATE_URL/auth/token" |
  sed 's/.*"access_token": *"\\([^"]*\\)".*/\\1/')`
