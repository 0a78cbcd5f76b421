import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'

/** A request as it was on the wire. */
export type Received = {
  readonly head: string
  readonly body: string
  /** The values of a header, in the order of the lines. */
  readonly header: (name: string) => readonly string[]
  readonly method: string
  readonly target: string
}

export type Script = (socket: Socket, request: Received, index: number) => void

export type ScriptedServer = {
  readonly url: string
  readonly port: number
  readonly requests: Received[]
  readonly connections: () => number
  /** Shows another certificate from now on. */
  readonly renew: (tls: TlsOptions) => void
  readonly close: () => Promise<void>
}

const servers = new Set<ScriptedServer>()

export async function endScripted(): Promise<void> {
  await Promise.all([...servers].map((each) => each.close()))
  servers.clear()
}

/**
 * An upstream that does on the socket whatever the script says, once for each whole request; `onConnect` as soon as
 * somebody connects.
 */
export async function scripted(
  script: Script,
  {
    port = 0,
    host = '127.0.0.1',
    tls,
    onConnect,
  }: {
    port?: number
    host?: string
    tls?: TlsOptions
    onConnect?: (socket: Socket) => void
  } = {},
): Promise<ScriptedServer> {
  const requests: Received[] = []
  const sockets = new Set<Socket>()
  let accepted = 0
  const serve = (socket: Socket | TLSSocket) => {
    accepted += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    onConnect?.(socket)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (;;) {
        const end = text.indexOf('\r\n\r\n')
        if (end === -1) return
        const head = text.slice(0, end)
        const length = Number(/^content-length: *([0-9]+)/im.exec(head)?.[1] ?? 0)
        if (text.length < end + 4 + length) return
        const request = receivedOf(head, text.slice(end + 4, end + 4 + length))
        text = text.slice(end + 4 + length)
        requests.push(request)
        script(socket, request, requests.length - 1)
      }
    })
  }
  const server = tls ? createTlsServer(tls, serve) : createServer(serve)
  server.on('tlsClientError', () => {})
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  const scriptedServer: ScriptedServer = {
    url: `${tls ? 'https' : 'http'}://${tls ? 'localhost' : host}:${bound}`,
    port: bound,
    requests,
    connections: () => accepted,
    renew: (next) => {
      if ('setSecureContext' in server) server.setSecureContext(next)
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
  servers.add(scriptedServer)
  return scriptedServer
}

function receivedOf(head: string, body: string): Received {
  const [line = '', ...lines] = head.split('\r\n')
  const [method = '', target = ''] = line.split(' ')
  return {
    ...{ head, body, method, target },
    header: (name) =>
      lines
        .filter((each) => each.slice(0, each.indexOf(':')).toLowerCase() === name.toLowerCase())
        .map((each) => each.slice(each.indexOf(':') + 1).trim()),
  }
}

/** A whole answer. */
export function answer(status: number, body: string | Buffer = '', lines: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body)
  const type = lines.some((line) => /^content-type:/i.test(line)) ? [] : ['Content-Type: application/json']
  const head = [`HTTP/1.1 ${status} Whatever`, ...type, ...lines, `Content-Length: ${bytes.length}`, '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes])
}

export const PAID = JSON.stringify({ paymentId: 'pay_of_the_upstream', outcome: 'success', code: null })
export const paid = answer(200, PAID)
