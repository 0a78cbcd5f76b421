import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { SIMULATION } from './simulation.ts'

/** Node's own HTTP server, answering the same body: what nothing on Node can be faster than. */
const server = http.createServer((_req, res) => {
  const body = JSON.stringify(SIMULATION)
  res.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))])
  res.end(body)
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('SIGTERM', () => process.exit(0))
