import net from 'node:net'
import { WAIT_MS } from './effort.ts'
import type { Gateway } from './gateway.ts'
import { type Reply, reply } from './http.ts'

export type RawConnection = {
  readonly socket: net.Socket
  readonly write: (bytes: string | Buffer) => void
  /** The next whole response, informational ones included; rejects when the connection ends without one. */
  readonly next: (options?: { readonly head?: boolean; readonly withinMs?: number }) => Promise<Reply>
  /** Resolves when the peer has closed; false when it has not within the time. */
  readonly closed: (withinMs?: number) => Promise<boolean>
  /** What came and is not part of a response that was taken. */
  readonly rest: () => string
}

/** A connection of one's own, to say what no HTTP client would say. */
export async function rawConnection(gateway: Gateway, from = '127.0.0.1'): Promise<RawConnection> {
  const { port, hostname } = new URL(gateway.url)
  const socket = net.connect({ port: Number(port), host: hostname, localAddress: from, allowHalfOpen: true })
  socket.setNoDelay(true)
  let received = Buffer.alloc(0)
  let ended = false
  let changed = () => {}
  const change = () => changed()
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    change()
  })
  for (const event of ['end', 'close', 'error']) {
    socket.on(event, () => {
      ended = true
      change()
    })
  }
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })

  async function until<T>(look: () => T | undefined, withinMs: number): Promise<T | undefined> {
    const deadline = Date.now() + withinMs
    for (;;) {
      const seen = look()
      if (seen !== undefined) return seen
      const left = deadline - Date.now()
      if (left <= 0) return undefined
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        changed = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  return {
    socket,
    write: (bytes) => socket.write(bytes),
    rest: () => received.toString('latin1'),
    closed: async (withinMs = WAIT_MS) => {
      const closed = (await until(() => (ended ? true : undefined), withinMs)) ?? false
      if (closed) socket.destroy()
      return closed
    },
    next: async ({ head = false, withinMs = WAIT_MS } = {}) => {
      const found = await until(() => readResponse(received, head) ?? (ended ? null : undefined), withinMs)
      if (!found) {
        throw new Error(`no response; received ${JSON.stringify(received.toString('latin1').slice(0, 400))}`)
      }
      received = received.subarray(found.length)
      return reply(gateway.url, found.status, found.headers, found.body)
    },
  }
}

/**
 * Sends bytes and takes every response that follows. Whoever says that it closes is waited for; to anybody else our
 * side is closed, which ends the connection when everything that was asked is answered: no answer is missed, and
 * none is waited for by the clock.
 */
export async function rawRequest(
  gateway: Gateway,
  bytes: string | Buffer,
  options: { readonly from?: string } = {},
): Promise<{ readonly responses: readonly Reply[]; readonly closed: boolean; readonly rest: string }> {
  const connection = await rawConnection(gateway, options.from)
  connection.write(bytes)
  const responses: Reply[] = []
  let closed = false
  try {
    responses.push(await connection.next())
    for (;;) {
      closed = responses.at(-1)?.headers.connection === 'close'
      if (!closed) connection.socket.end()
      responses.push(await connection.next())
    }
  } catch {
    // Nothing more has come.
  }
  closed &&= await connection.closed(1)
  connection.socket.destroy()
  return { responses, closed, rest: connection.rest() }
}

type Found = { status: number; headers: Record<string, string>; body: Buffer; length: number }

/** The first whole response in the bytes. Ours always have a Content-Length. */
function readResponse(bytes: Buffer, head: boolean): Found | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1])
  if (!status) throw new Error(`not a status line: ${statusLine}`)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  const length = head || status < 200 ? 0 : Number(headers['content-length'])
  const start = end + 4
  if (bytes.length < start + length) return undefined
  return { status, headers, body: Buffer.from(bytes.subarray(start, start + length)), length: start + length }
}
