import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { replay } from '../../src/sandgate.ts'
import { ask, signIn } from '../facts/partner.ts'
import { WAIT_MS } from '../support/effort.ts'
import { startGateway, temporaryDirectory } from '../support/gateway.ts'
import { endAfterEachTest, type Front, startFront } from '../upstream/front.ts'
import { answer, type Script, scripted } from '../upstream/scripted.ts'

endAfterEachTest()
const directory = temporaryDirectory('front-door-answers')

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400000\r\n\r\n{"items":["'

async function operator(url: string, method: string, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return (await response.json()) as { path: string; withoutReply?: object[]; recordings: object[] }
}

/** A front door that records what this upstream says. */
async function recording(script: Script): Promise<Front> {
  const { url } = await scripted((socket, request, index) =>
    index === 0 ? void socket.write(answer(200, '{"items":[]}')) : script(socket, request, index),
  )
  const front = await startFront(url, { settings: { 'recording.directory': directory } })
  await operator(front.gateway.operatorUrl, 'POST', '/recordings', { name: 'answers', partner: null })
  // Without any answer there would be nothing to keep.
  expect((await front.get()).status).toBe(200)
  return front
}

const exchanges = (count: number) => ({ recordings: [{ name: 'answers', exchanges: count }] })

describe('a recording of the front door that forwards', () => {
  it('names an answer that broke off, which is a fault, in the answer to the operator and in the log', async () => {
    const front = await recording((socket) => socket.end(HEAD))
    await expect(front.get()).rejects.toThrow()
    await expect
      .poll(() => operator(front.gateway.operatorUrl, 'GET', '/recordings'))
      .toMatchObject(exchanges(2))
    const stopped = await operator(front.gateway.operatorUrl, 'DELETE', '/recordings/answers')
    expect(stopped).toMatchObject({
      interactions: 2,
      withoutReply: [
        { entry: 2, request: 'GET /v1/accounts', reason: 'its answer broke off', isFault: true },
      ],
    })
    expect(loadCassette(stopped.path).interactions).toMatchObject([{}, { reply: undefined, noReply: 'cut' }])
    expect(front.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'recording lacks answers' }),
    )
  })

  it('names a client that did not wait for all of its answer, which is no fault', async () => {
    let end = () => {}
    const front = await recording((socket) => {
      socket.write(HEAD)
      end = () => void socket.end()
    })
    onTestFinished(() => end())
    const client = connect(Number(new URL(front.url).port), '127.0.0.1')
    client.write(`GET /v1/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: ${front.authorization}\r\n\r\n`)
    await once(client, 'data')
    client.resetAndDestroy()
    await expect
      .poll(() => operator(front.gateway.operatorUrl, 'GET', '/recordings'), { timeout: WAIT_MS })
      .toMatchObject(exchanges(2))
    const { withoutReply } = await operator(front.gateway.operatorUrl, 'DELETE', '/recordings/answers')
    expect(withoutReply).toMatchObject([
      { entry: 2, reason: 'its client did not wait for the answer', isFault: false },
    ])
    expect(front.log.map(({ message }) => message)).not.toContain('recording lacks answers')
  })
})

describe('URLs of the front door in its recording', () => {
  it('are those of the recorded origin in the file, and lead to the replay when it is replayed', async () => {
    const origin = 'https://sandbox.example.com'
    const gateway = await startGateway({ runs: 'here', config: { recording: { directory, origin } } })
    await operator(gateway.operatorUrl, 'POST', '/recordings', { name: 'urls', partner: null })
    const redirectUrl = (url: string) => `${url}/done`
    const session = async (url: string) => {
      const client = await signIn(url, gateway)
      // Also on the way in: a URL of the gateway that the client sends back is one of the sandbox's.
      return ask(client, 'POST', '/v1/kyc/widget/session', { redirectUrl: redirectUrl(url) })
    }
    const made = await session(gateway.url)
    expect(made).toMatchObject({ status: 201, url: expect.stringContaining(gateway.url) })
    await operator(gateway.operatorUrl, 'DELETE', '/recordings/urls')
    const file = join(directory, 'urls.har')
    const cassette = loadCassette(file)
    expect(cassette.origin).toBe(origin)
    const text = JSON.stringify(
      cassette.interactions.map(({ request, reply }) => [
        Buffer.from(request.body).toString(),
        Buffer.from(reply?.body ?? []).toString(),
      ]),
    )
    expect(text).not.toContain(gateway.url)
    expect(text).toContain(`${origin}/`)
    const tape = await replay(file)
    expect(await session(tape.url)).toMatchObject({ status: 201, url: expect.stringContaining(tape.url) })
    expect(await tape.close()).toMatchObject({ missed: 0, unused: [] })
  })
})
