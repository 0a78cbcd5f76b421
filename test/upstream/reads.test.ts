import type { Socket } from 'node:net'
import { createDeflate, deflateSync, gzipSync } from 'node:zlib'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { endAfterEachTest, startFront } from './front.ts'
import { answer, scripted } from './scripted.ts'

endAfterEachTest()

const LIST = JSON.stringify({ items: [], nextCursor: null })
const listed = answer(200, LIST)
const MB = 1 << 20

describe('a read', () => {
  it('is tried again once when the connection was closed before anything was read', async () => {
    const { url, requests } = await scripted((socket, _request, n) => {
      if (n === 0) socket.resetAndDestroy()
      else socket.write(listed)
    })
    const front = await startFront(url)
    expect(await front.get()).toMatchObject({ status: 200, body: LIST })
    expect(requests).toHaveLength(2)
  })

  it('is tried again once, and not twice', async () => {
    const { url, requests } = await scripted((socket) => socket.resetAndDestroy())
    const front = await startFront(url)
    expect(await front.get()).toMatchObject({ status: 502, code: 'UPSTREAM_INDETERMINATE' })
    expect(requests).toHaveLength(2)
  })

  it('survives a keep-alive connection that is closed under our feet', async () => {
    const { url } = await scripted((socket) => {
      socket.write(listed)
      setTimeout(() => socket.destroy(), 3)
    })
    const front = await startFront(url)
    for (let n = 0; n < 100; n++) {
      expect(await front.get()).toMatchObject({ status: 200, body: LIST })
      await new Promise((resolve) => setTimeout(resolve, n % 6))
    }
  })

  it('passes a redirection as it is and follows it nowhere, its own place under the name that partners know', async () => {
    const { url, port, requests } = await scripted((socket) =>
      socket.write(
        answer(302, '', [
          `Location: http://127.0.0.1:${port}/v1/accounts/acc_1?x=1#y`,
          `Content-Location: //127.0.0.1:${port}/v1/accounts/acc_1`,
        ]),
      ),
    )
    const front = await startFront(url)
    const { status, headers } = await front.get()
    expect(status).toBe(302)
    expect(headers.location).toBe(`${front.url}/v1/accounts/acc_1?x=1#y`)
    expect(headers['content-location']).toBe(`${front.url}/v1/accounts/acc_1`)
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['gzip', gzipSync(LIST)],
    ['deflate', deflateSync(LIST)],
  ])('is decoded when it comes as %s unasked', async (coding, bytes) => {
    const { url, requests } = await scripted((socket) =>
      socket.write(answer(200, bytes, [`Content-Encoding: ${coding}`])),
    )
    const front = await startFront(url)
    const { body, headers } = await front.get()
    expect(body).toBe(LIST)
    expect(headers['content-encoding']).toBeUndefined()
    expect(requests[0]?.header('accept-encoding')).toEqual(['identity'])
  })

  it('in an unknown coding is a broken answer', async () => {
    const { url } = await scripted((socket) => socket.write(answer(200, 'x', ['Content-Encoding: rot13'])))
    const front = await startFront(url)
    expect(await front.get()).toMatchObject({ status: 502, code: 'UPSTREAM_INDETERMINATE' })
  })

  it('of 100 MB passes whole, and is never held', async () => {
    const { url } = await scripted((socket) => flood(socket, 100))
    const front = await startFront(url, { upstream: { timeoutMs: 5000 } })
    const before = process.memoryUsage().arrayBuffers
    const response = await request(`${front.url}/v1/accounts`, {
      headers: { authorization: front.authorization },
    })
    let length = 0
    let most = 0
    for await (const chunk of response.body) {
      const megabytes = Math.floor(length / MB)
      length += (chunk as Buffer).length
      if (Math.floor(length / MB) > megabytes)
        most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(length).toBe(100 * MB)
    expect(most).toBeLessThan(60 * MB)
  })

  it('waits for a client that reads slowly, and makes the upstream wait', async () => {
    let written = 0
    const { url } = await scripted((socket) => flood(socket, 64, (bytes) => (written += bytes)))
    const front = await startFront(url, { upstream: { timeoutMs: 300 } })
    const response = await request(`${front.url}/v1/accounts`, {
      headers: { authorization: front.authorization },
    })
    await new Promise((resolve) => setTimeout(resolve, 900))
    expect(written).toBeLessThan(40 * MB)
    let length = 0
    for await (const chunk of response.body) length += (chunk as Buffer).length
    expect(length).toBe(64 * MB)
  })

  it('that stops in the middle ends with a closed connection, never as a whole answer', async () => {
    const { url } = await scripted((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'),
    )
    const front = await startFront(url)
    const response = await request(`${front.url}/v1/accounts`, {
      headers: { authorization: front.authorization },
    })
    expect(response.statusCode).toBe(200)
    await expect(response.body.text()).rejects.toThrow()
  })

  it('that its client gives up lets go of the upstream', async () => {
    let closed: Promise<unknown> | undefined
    const { url } = await scripted((socket) => {
      closed = new Promise((resolve) => socket.once('close', resolve))
      flood(socket, 100)
    })
    const front = await startFront(url)
    const response = await request(`${front.url}/v1/accounts`, {
      headers: { authorization: front.authorization },
    })
    response.body.on('error', () => {}).destroy()
    await closed
  })

  it('with HEAD has the length of the answer and no body', async () => {
    const { url, requests } = await scripted((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4711\r\n\r\n'),
    )
    const front = await startFront(url)
    const { status, headers, body } = await front.send('HEAD', '/v1/accounts')
    expect([status, headers['content-length'], body]).toEqual([200, '4711', ''])
    expect(requests[0]?.method).toBe('HEAD')
  })

  it('is cut short by no limit on answers that are held', async () => {
    const { url } = await scripted((socket) => socket.write(answer(200, Buffer.alloc(2 * MB, 0x20))))
    const front = await startFront(url, { upstream: { maxAnswerBytes: 1024 } })
    expect((await front.get()).body).toHaveLength(2 * MB)
  })

  it('that is compressed and goes on for ever is decoded as it comes', async () => {
    const { url } = await scripted((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nConnection: close\r\n\r\n')
      const deflate = createDeflate()
      deflate.pipe(socket)
      for (let n = 0; n < 64; n++) deflate.write(Buffer.alloc(MB, 0x20))
      deflate.end()
    })
    const front = await startFront(url, { upstream: { timeoutMs: 5000 } })
    expect((await front.get()).body).toHaveLength(64 * MB)
  })
})

function flood(socket: Socket, megabytes: number, onWritten: (bytes: number) => void = () => {}): void {
  socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${megabytes * MB}\r\n\r\n`,
  )
  const chunk = Buffer.alloc(64 * 1024)
  let left = megabytes * 16
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1
      onWritten(chunk.length)
      if (!socket.write(chunk)) return void socket.once('drain', more)
    }
  }
  more()
}
