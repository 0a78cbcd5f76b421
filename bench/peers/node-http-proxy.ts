import http from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** http-proxy as its README shows it, with connections kept alive. */
type HttpProxy = {
  readonly createProxyServer: (options: object) => {
    readonly web: (req: http.IncomingMessage, res: http.ServerResponse) => void
    readonly on: (
      event: 'error',
      listener: (error: Error, req: unknown, res: http.ServerResponse) => void,
    ) => void
  }
}

const [target = ''] = process.argv.slice(2)
const from = createRequire(join(process.cwd(), 'bench/peers/package.json'))
const { createProxyServer } = from('http-proxy') as HttpProxy
const proxy = createProxyServer({ target, agent: new http.Agent({ keepAlive: true, maxSockets: 128 }) })
proxy.on('error', (_error, _req, res) => void res.writeHead(502).end())
const server = http.createServer((req, res) => proxy.web(req, res))
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('SIGTERM', () => process.exit(0))
