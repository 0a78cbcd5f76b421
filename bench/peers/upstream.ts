import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { SIMULATION } from './simulation.ts'

/** What every proxy of the comparison forwards to: the least that a sandbox can do for a GET and a POST. */
const GET = JSON.stringify(SIMULATION)
const POST = JSON.stringify({
  paymentId: 'pay_8DwSLGXT671Js2hRULauaZ-dI',
  direction: 'fund',
  amount: 5077,
  currency: 'XOF',
  outcome: 'success',
  code: null,
  decidedAt: '2026-01-15T09:30:00.000Z',
})
const server = http.createServer((req, res) => {
  const body = req.method === 'POST' ? POST : GET
  const answer = () => {
    res.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)])
    res.end(body)
  }
  if (req.method !== 'POST') return answer()
  req.resume()
  return req.once('end', answer)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('SIGTERM', () => process.exit(0))
