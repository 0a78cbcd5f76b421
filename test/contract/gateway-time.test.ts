import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { token } from '../support/http.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here' })
})

const SLOW_MS = 1500

/** A client that takes its time between the head and the body. */
async function slowClient(body: string): Promise<number | undefined> {
  const headers = {
    authorization: `Bearer ${await token(gateway)}`,
    'content-type': 'application/json',
    'content-length': body.length,
    'idempotency-key': randomUUID(),
  }
  return new Promise((resolve, reject) => {
    const sending = request(`${gateway.url}/v1/kyb/submit`, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sending.on('error', reject)
    sending.flushHeaders()
    void sleep(SLOW_MS).then(() => sending.end(body))
  })
}

it('the time that a client takes to send its body is not the gateway’s', async () => {
  expect(await slowClient('{"businessRef":"BIZ-001"}')).toBe(200)
  const text = await (await fetch(`${gateway.operatorUrl}/metrics`)).text()
  const sum = /^sandgate_gateway_duration_seconds_sum\{operation="kyb\.submit"\} (\S+)$/m.exec(text)?.[1]
  expect(Number(sum)).toBeGreaterThan(0)
  expect(Number(sum)).toBeLessThan(SLOW_MS / 1000)
})
