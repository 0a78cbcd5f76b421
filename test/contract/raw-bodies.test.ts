import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, type Reply, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectCommonHeaders, expectProblem } from '../support/problems.ts'
import { type RawConnection, rawConnection, rawRequest } from '../support/raw.ts'

let gateway: Gateway
let caller: Caller
let bearer: string
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: partners(4),
    config: { server: { headersTimeoutMs: 1000, requestTimeoutMs: 2000, keepAliveTimeoutMs: 60_000 } },
  })
  caller = newCaller(gateway)
  bearer = await token(caller)
})

const LIMIT = 65_536
/** The head of a payment, up to the empty line. */
const head = (...more: string[]) =>
  `${[
    'POST /v1/payments/fund HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${bearer}`,
    `Idempotency-Key: ${randomUUID()}`,
    'Content-Type: application/json',
    ...more,
  ].join('\r\n')}\r\n\r\n`
const used = async () => {
  const { caps } = (await get(caller, '/portal/usage')).json
  return caps.find(({ product }: { product: string }) => product === 'payments.fund').used
}

async function silent(connection: RawConnection): Promise<void> {
  await expect(connection.next({ withinMs: 200 })).rejects.toThrow('no response')
}

describe('Expect: 100-continue', () => {
  const CONTINUE = 'Expect: 100-continue'

  it('is met when the checks of the headers have passed, and then the body is read', async () => {
    const connection = await rawConnection(gateway)
    connection.write(head(CONTINUE, 'Content-Length: 13'))
    expect((await connection.next()).status).toBe(100)
    connection.write('{"amount":77}')
    const answer = await connection.next()
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    connection.socket.destroy()
  })

  it('is ignored from a client of HTTP/1.0, which knows no interim answer', async () => {
    const connection = await rawConnection(gateway)
    const request = head(CONTINUE, 'Content-Length: 13').replace('HTTP/1.1', 'HTTP/1.0')
    connection.write(`${request}{"amount":77}`)
    expect((await connection.next()).status).toBe(200)
    connection.socket.destroy()
  })

  const refused: [string, string[], string][] = [
    ['without a token', ['Authorization: x'], 'BAD_REQUEST'],
    ['with the tenant of another', ['X-Tenant-Id: tn_sandbox_p2'], 'PARTNER_MISMATCH'],
    ['that announces too much', [`Content-Length: ${LIMIT + 1}`], 'BODY_TOO_LARGE'],
  ]
  it.each(refused)('is not met for a request %s: the refusal comes at once', async (_what, more, code) => {
    const connection = await rawConnection(gateway)
    const length = more.some((line) => line.startsWith('Content-Length')) ? [] : ['Content-Length: 13']
    connection.write(head(CONTINUE, ...more, ...length))
    const answer = await connection.next()
    expect(answer.json.code).toBe(code)
    expectCommonHeaders(answer)
    connection.socket.destroy()
  })

  it('for anything else is 417', async () => {
    for (const expectation of ['200-ok', '100-continue, x']) {
      const { responses } = await rawRequest(
        gateway,
        `${head(`Expect: ${expectation}`, 'Content-Length: 13')}{"amount":77}`,
      )
      expect(responses).toHaveLength(1)
      expectProblem(responses[0] as Reply, 'EXPECTATION_FAILED')
    }
  })
})

describe('a body that is larger than the limit', () => {
  it('is refused by its announcement, unread, and the connection closes', async () => {
    const connection = await rawConnection(gateway)
    connection.write(head(`Content-Length: ${50 * 1024 * 1024}`))
    const answer = await connection.next()
    expectProblem(answer, 'BODY_TOO_LARGE')
    expect(answer.headers.connection).toBe('close')
    expect(await connection.closed()).toBe(true)
  })

  it('is refused when the chunks become too many, in the middle of the upload', async () => {
    const connection = await rawConnection(gateway)
    connection.write(head('Transfer-Encoding: chunked'))
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    for (let i = 0; i < 5; i++) connection.write(chunk)
    const answer = await connection.next()
    expectProblem(answer, 'BODY_TOO_LARGE')
    expect(answer.headers.connection).toBe('close')
    expect(await connection.closed()).toBe(true)
  })

  it('reaches its sender as 413 though the sender goes on uploading, and is not drained to its end', async () => {
    const connection = await rawConnection(gateway)
    connection.write(head(`Content-Length: ${1024 * 1024 * 1024}`))
    const block = Buffer.alloc(64 * 1024, 'x')
    let sent = 0
    let going = true
    const upload = () => {
      while (going && sent < 64 * 1024 * 1024) {
        sent += block.length
        if (!connection.socket.write(block)) {
          connection.socket.once('drain', upload)
          return
        }
      }
    }
    upload()
    expectProblem(await connection.next(), 'BODY_TOO_LARGE')
    const closed = await connection.closed()
    going = false
    expect(closed).toBe(true)
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  it('is told so even when the sender looks only after it has sent half a megabyte more', async () => {
    const connection = await rawConnection(gateway)
    connection.socket.pause()
    connection.write(head(`Content-Length: ${1024 * 1024}`))
    // Data that reaches a socket which is closed already makes it reset, and a reset takes the answer along.
    for (let i = 0; i < 8; i++) {
      connection.write(Buffer.alloc(64 * 1024, 'x'))
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    connection.socket.resume()
    expectProblem(await connection.next(), 'BODY_TOO_LARGE')
    connection.socket.destroy()
  })

  it('does not hold up a refusal that comes before it', async () => {
    const { responses, closed } = await rawRequest(
      gateway,
      `PUT /v1/payments/fund HTTP/1.1\r\nHost: x\r\nContent-Length: ${LIMIT * 10}\r\n\r\nxxxx`,
    )
    expect(responses).toHaveLength(1)
    expectProblem(responses[0] as Reply, 'METHOD_NOT_ALLOWED')
    expect(closed).toBe(true)
  })
})

describe('chunks', () => {
  it('are read like any body', async () => {
    const { responses } = await rawRequest(
      gateway,
      `${head('Transfer-Encoding: chunked')}7\r\n{"amoun\r\n6\r\nt":77}\r\n0\r\n\r\n`,
    )
    expect(responses.map(({ status }) => status)).toEqual([200])
  })

  it('that are malformed refuse their own request, and nothing is executed', async () => {
    const before = await used()
    const { responses, closed } = await rawRequest(
      gateway,
      `${head('Transfer-Encoding: chunked')}d\r\n{"amount":77}\r\nzz\r\n`,
    )
    expect(responses).toHaveLength(1)
    expectProblem(responses[0] as Reply, 'BAD_REQUEST')
    expect(closed).toBe(true)
    expect(await used()).toBe(before)
  })
})

// All at once: they wait for times that only pass.
describe.concurrent('a request that does not arrive in time is 408', () => {
  it('when its headers are slow', async () => {
    const connection = await rawConnection(gateway)
    connection.write('GET /portal/usage HTTP/1.1\r\nHost: x\r\n')
    expectProblem(await connection.next(), 'REQUEST_TIMEOUT')
    expect(await connection.closed()).toBe(true)
  })

  it('when its body is slow, and nothing is executed', async () => {
    const before = await used()
    const connection = await rawConnection(gateway)
    connection.write(`${head('Content-Length: 13')}{"amount"`)
    expectProblem(await connection.next(), 'REQUEST_TIMEOUT')
    expect(await connection.closed()).toBe(true)
    expect(await used()).toBe(before)
  })

  it('when its body never ends, byte by byte', async () => {
    const connection = await rawConnection(gateway)
    connection.write(head('Content-Length: 6000'))
    const drip = setInterval(() => connection.write(' '), 100)
    const answer = await connection.next()
    clearInterval(drip)
    expectProblem(answer, 'REQUEST_TIMEOUT')
    expect(await connection.closed()).toBe(true)
  })

  it('but an idle connection between two requests is left alone', async () => {
    const connection = await rawConnection(gateway)
    const usage = `GET /portal/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n\r\n`
    connection.write(usage)
    expect((await connection.next()).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 3500))
    connection.write(usage)
    expect((await connection.next()).status).toBe(200)
    connection.socket.destroy()
  })
})

describe('a client that goes away', () => {
  it('in the middle of its body has executed nothing', async () => {
    const before = await used()
    const connection = await rawConnection(gateway)
    connection.write(`${head('Content-Length: 13')}{"amount"`)
    await silent(connection)
    connection.socket.destroy()
    expect(await used()).toBe(before)
  })

  it('after its body has been executed once: its retry gets the answer', async () => {
    const before = await used()
    const key = randomUUID()
    const request = head('Content-Length: 13').replace(/Idempotency-Key: \S+/, `Idempotency-Key: ${key}`)
    const connection = await rawConnection(gateway)
    connection.write(`${request}{"amount":77}`)
    connection.socket.end()
    // Gone for reading, too, before any answer can have come.
    connection.socket.destroySoon()
    await expect.poll(used).not.toBe(before)
    const { responses } = await rawRequest(gateway, `${request}{"amount":77}`)
    expect(responses[0]?.headers['idempotency-replayed']).toBe('true')
    expect(await used()).toBe(before + 77)
  })

  it('with its writing side alone still gets its answer', async () => {
    const connection = await rawConnection(gateway)
    connection.socket.end(`${head('Content-Length: 13')}{"amount":77}`)
    expect((await connection.next()).status).toBe(200)
  })
})

it('HEAD has no body, also when it is refused', async () => {
  const connection = await rawConnection(gateway)
  connection.write('HEAD /v1/nowhere HTTP/1.1\r\nHost: x\r\n\r\n')
  const answer = await connection.next({ head: true })
  expect(answer.status).toBe(404)
  expectCommonHeaders(answer)
  await silent(connection)
  connection.socket.destroy()
})
