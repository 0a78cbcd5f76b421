import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../support/effort.ts'
import { interactions, uuid } from './by-hand.ts'
import { createClient, type Json } from './client.ts'
import { cassetteOf, Miss, replaying, tapeOf } from './recording.ts'
import { createSandbox, type Send } from './sandbox.ts'

const fails = async (work: Promise<unknown>): Promise<string[]> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Miss)) throw new Error('expected a miss')
  return error.report.closest[0]?.reasons.map(({ kind }) => kind) ?? []
}

const person = (phone: string, customerRef: string) => ({
  customerRef,
  phone,
  firstName: 'Awa',
  lastName: 'Koné',
})

describe('two customers stay two customers', () => {
  const record = async () => {
    const sandbox = createSandbox()
    const client = createClient(sandbox.client(), 'recording')
    const first = await client.post('/v1/accounts/open', person('+2250711111111', 'CUS-A'))
    await client.post('/v1/payments/fund', { amount: 5077, accountId: first.body.accountId })
    const second = await client.post('/v1/accounts/open', person('+2250722222222', 'CUS-B'))
    await client.post('/v1/payments/fund', { amount: 4001, accountId: second.body.accountId })
    return cassetteOf(sandbox.interactions())
  }

  it('the story of the second is not told to the first', async () => {
    const client = createClient(replaying(tapeOf(await record())), 'live')
    const { accountId } = (await client.post('/v1/accounts/open', person('+2250733333333', 'CUS-X'))).body
    await client.post('/v1/payments/fund', { amount: 5077, accountId })
    expect(await fails(client.post('/v1/payments/fund', { amount: 4001, accountId }))).toContain('binding')
  })

  it('which of two stories a client is in shows when they part', async () => {
    const client = createClient(replaying(tapeOf(await record())), 'live')
    const first = (await client.post('/v1/accounts/open', person('+2250733333333', 'CUS-X'))).body
    const second = (await client.post('/v1/accounts/open', person('+2250744444444', 'CUS-Y'))).body
    expect(first.accountId).not.toBe(second.accountId)
    const paid = [
      await client.post('/v1/payments/fund', { amount: 4001, accountId: first.accountId }),
      await client.post('/v1/payments/fund', { amount: 5077, accountId: second.accountId }),
    ]
    expect(paid.map(({ body }) => [body.amount, body.accountId])).toEqual([
      [4001, first.accountId],
      [5077, second.accountId],
    ])
  })

  it('a third customer is a miss', async () => {
    const client = createClient(replaying(tapeOf(await record())), 'live')
    await client.post('/v1/accounts/open', person('+2250733333333', 'CUS-X'))
    await client.post('/v1/accounts/open', person('+2250744444444', 'CUS-Y'))
    await fails(client.post('/v1/accounts/open', person('+2250755555555', 'CUS-Z')))
  })

  it('one person twice is not two persons, and two are not one', async () => {
    const sandbox = createSandbox()
    const recording = createClient(sandbox.client(), 'recording')
    await recording.post('/v1/kyc/submit', { phone: '+2250711111111', metadata: { step: '1' } })
    await recording.post('/v1/kyc/submit', { phone: '+2250711111111', metadata: { step: '2' } })
    await recording.post('/v1/kyc/submit', { phone: '+2250722222222', metadata: { step: '3' } })
    const cassette = cassetteOf(sandbox.interactions())
    const step = (send: Send, phone: string, step: string) =>
      createClient(send, step).post('/v1/kyc/submit', { phone, metadata: { step } })
    const two = replaying(tapeOf(cassette))
    await step(two, '+2250733333333', '1')
    expect(await fails(step(two, '+2250744444444', '2'))).toContain('binding')
    const one = replaying(tapeOf(cassette))
    await step(one, '+2250733333333', '1')
    expect(await fails(step(one, '+2250733333333', '3'))).toContain('binding')
  })

  it('an identifier that the tape has never given out finds nobody', async () => {
    const client = createClient(replaying(tapeOf(await record())), 'live')
    await client.post('/v1/accounts/open', person('+2250733333333', 'CUS-X'))
    expect(
      await fails(client.post('/v1/payments/fund', { amount: 5077, accountId: 'acc_made_up_by_hand' })),
    ).toContain('binding')
  })
})

it('two requests that differ in a value that is not volatile never share an answer', async () => {
  const field = fc.constantFrom('amount', 'description', 'currency', 'note')
  const value = fc.oneof(
    fc.integer({ min: 1, max: 50 }),
    fc.string({ maxLength: 4 }),
    fc.boolean(),
    fc.constant(null),
  )
  const body = fc.dictionary(field, value, { minKeys: 1 })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(body, {
        minLength: 1,
        maxLength: 6,
        selector: (one) => JSON.stringify(Object.entries(one).sort()),
      }),
      body,
      async (recorded, live) => {
        const list = recorded.map(
          (each, i) => ['POST /v1/other', 200, { echo: each }, { key: uuid(i), body: each as Json }] as const,
        )
        const tape = tapeOf(cassetteOf(interactions(...list)))
        const client = createClient(replaying(tape), 'live')
        const answer = await client.post('/v1/other', live).catch(() => undefined)
        const same = recorded.find(
          (each) =>
            JSON.stringify(Object.entries(each).sort()) === JSON.stringify(Object.entries(live).sort()),
        )
        expect(answer?.body.echo).toEqual(same)
      },
    ),
    { numRuns: runs(100) },
  )
})

describe('magic inputs are compared exactly', () => {
  const record = async (work: (client: ReturnType<typeof createClient>) => Promise<unknown>) => {
    const sandbox = createSandbox()
    await work(createClient(sandbox.client(), 'recording'))
    return createClient(replaying(tapeOf(cassetteOf(sandbox.interactions()))), 'live')
  }

  it('a rejected phone answers neither an ordinary nor an approved one', async () => {
    const client = await record((one) => one.post('/v1/kyc/submit', { phone: '+22500000009' }))
    await fails(client.post('/v1/kyc/submit', { phone: '+2250712345678' }))
    await fails(client.post('/v1/kyc/submit', { phone: '+22500000001' }))
    expect((await client.post('/v1/kyc/submit', { phone: '+22500000009' })).body.outcome).toBe('rejected')
  })

  it('an ordinary phone does not answer a magic one', async () => {
    const client = await record((one) => one.post('/v1/kyc/submit', { phone: '+2250712345678' }))
    await fails(client.post('/v1/kyc/submit', { phone: '+22500000009' }))
    expect((await client.post('/v1/kyc/submit', { phone: '+2250787654321' })).body.phone).toBe(
      '+2250787654321',
    )
  })

  it('a businessRef that ends in 009 or 001 is itself; another one is anybody', async () => {
    const client = await record(async (one) => {
      await one.post('/v1/kyb/submit', { businessRef: 'BUS-7-009' })
      await one.post('/v1/kyb/submit', { businessRef: 'BUS-7' })
    })
    await fails(client.post('/v1/kyb/submit', { businessRef: 'BUS-8-009' }))
    const { body } = await client.post('/v1/kyb/submit', { businessRef: 'BUS-8' })
    expect([body.businessRef, body.outcome]).toEqual(['BUS-8', 'approved'])
    expect((await client.post('/v1/kyb/submit', { businessRef: 'BUS-7-009' })).body.outcome).toBe('rejected')
  })

  it('a value that was published for tests is itself', async () => {
    const recorded = interactions(['GET /v1/score?customerRef=CUS-0001', 200, { score: 712 }])
    const exact = tapeOf(cassetteOf(recorded))
    await fails(createClient(replaying(exact), 'live').get('/v1/score?customerRef=CUS-0002'))
  })
})
