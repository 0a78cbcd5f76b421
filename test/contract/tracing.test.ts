import { beforeAll, describe, expect, it, vi } from 'vitest'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, type Reply } from '../support/http.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const VALID = `00-${TRACE}-00f067aa0ba902b7-01`

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here' })
})

/** The line of the log that a request has left. */
async function lineOf({ headers }: Reply): Promise<Record<string, unknown>> {
  return vi.waitFor(
    () => {
      const line = gateway
        .logs()
        .split('\n')
        .find((each) => each.includes(`"${headers['x-request-id']}"`))
      return JSON.parse(line ?? '')
    },
    { timeout: WAIT_MS, interval: 50 },
  )
}

describe('a request with a traceparent', () => {
  it('has its trace id in the log', async () => {
    const reply = await get(gateway, '/v1/accounts', { headers: { traceparent: VALID } })
    expect(reply.status).toBe(200)
    expect(await lineOf(reply)).toMatchObject({ traceId: TRACE, status: 200 })
  })

  it('is found by it when it was refused, too', async () => {
    const reply = await get(gateway, '/v1/accounts', { token: null, headers: { traceparent: VALID } })
    expect(await lineOf(reply)).toMatchObject({ traceId: TRACE, status: 401 })
  })

  it.each([
    ['that is not valid', `00-${TRACE}-0-01`],
    ['that comes twice', [VALID, VALID]],
    ['that is long', `cc-${TRACE}-00f067aa0ba902b7-01-${'x'.repeat(5000)}`],
    ['without a trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ])('%s is answered as without one', async (_, traceparent) => {
    const reply = await get(gateway, '/v1/accounts', { headers: { traceparent } })
    expect(reply.status).toBe(200)
    expect(await lineOf(reply)).not.toHaveProperty('traceId')
  })
})
