import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { cassetteOf, replaying, tapeOf } from './recording.ts'
import { createSandbox } from './sandbox.ts'

async function story(client: ReturnType<typeof createClient>, amount: number) {
  const customerRef = client.fresh('CUS')
  const phone = client.phone()
  const opened = await client.post('/v1/accounts/open', {
    customerRef,
    phone,
    firstName: 'Awa',
    lastName: 'Koné',
  })
  const { accountId } = opened.body
  const paid = await client.post('/v1/payments/fund', { amount, accountId, reference: client.fresh('INV') })
  const read = await client.get(`/v1/accounts/${accountId}`)
  const score = await client.get(`/v1/score?customerRef=${customerRef}`)
  expect(read.body).toEqual(opened.body)
  expect(read.body.phone).toBe(phone)
  expect(opened.header('location')).toBe(`/v1/accounts/${accountId}`)
  return [opened, paid, read, score]
}

test('smoke', async () => {
  const sandbox = createSandbox()
  await story(createClient(sandbox.client(), 'a'), 5077)
  await story(createClient(sandbox.client(), 'b'), 4001)
  const cassette = cassetteOf(sandbox.interactions())
  for (const order of [[5077, 4001], [4001, 5077], [4001], [5077]]) {
    const tape = tapeOf(cassette)
    for (const amount of order) {
      const answers = await story(
        createClient(replaying(tape, { now: Date.UTC(2030, 1, 1) }), `x${amount}`),
        amount,
      )
      expect(answers[1]?.body.amount).toBe(amount)
    }
    expect(tape.ledger().unused.length).toBe(8 - 4 * order.length)
  }
})
