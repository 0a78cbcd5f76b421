import { randomUUID } from 'node:crypto'
import { replay, type Tape } from 'sandgate'
import { afterAll, beforeAll, expect, it } from 'vitest'

let sandbox: Tape
let headers: Record<string, string>

beforeAll(async () => {
  sandbox = await replay('recordings/account-to-payment.har')
  // Any secret will do: no key of yours is needed to replay.
  const body = new URLSearchParams({ client_id: 'key_demo', client_secret: 'any' })
  const response = await fetch(`${sandbox.url}/auth/token`, { method: 'POST', body })
  const { access_token } = (await response.json()) as { access_token: string }
  headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
})

afterAll(async () => {
  // Each report says which request missed, how it differs from what was recorded, and what to do.
  expect(sandbox.misses()).toEqual([])
  await sandbox.close()
})

async function post(path: string, body: object) {
  const response = await fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': randomUUID() },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Record<string, unknown>
}

it('a new customer is paid', async () => {
  // Made up in every run; the recording has other values here, and the answers show these.
  const customerRef = `CUS-${randomUUID()}`
  const phone = '+2250712345678'
  const person = { phone, firstName: 'Mariam', lastName: 'Traoré', country: 'CI' }
  const account = await post('/v1/accounts/open', { customerRef, ...person })
  expect(account).toMatchObject({ customerRef, phone })

  // The amount decides the outcome, so it has to be the recorded one.
  const { accountId } = account
  const paid = await post('/v1/payments/fund', { amount: 25077, accountId, reference: `INV-${randomUUID()}` })
  expect(paid).toMatchObject({ outcome: 'success', amount: 25077, accountId })

  const read = await fetch(`${sandbox.url}/v1/accounts/${accountId}`, { headers })
  expect(await read.json()).toEqual(account)
})
