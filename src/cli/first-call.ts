import { randomUUID } from 'node:crypto'

/** Two lines for a shell: a token, and a payment with it. The credentials may be variables of the shell. */
export function firstCall(url: string, clientId: string, clientSecret: string): string {
  return [
    `TOKEN=$(curl -s ${url}/auth/token -d client_id=${clientId} -d client_secret=${clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -i ${url}/v1/payments/fund -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: ${randomUUID()}" -H "Content-Type: application/json" -d '{"amount":5077}'`,
    '',
  ].join('\n')
}
