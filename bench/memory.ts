import { measure } from './load.ts'
import { residentMb } from './process.ts'
import { startGateway } from './servers.ts'

const REQUESTS = 1_000_000
const MOST_SECONDS = 240
const SLICE_SECONDS = 10

export type MemoryReport = {
  readonly requests: number
  readonly beforeMb: number
  readonly afterMb: number
  readonly laterMb: number
}

/** Memory before and after a million requests from 100000 client addresses, named by a trusted proxy header. */
export async function memoryOfManyClients(): Promise<MemoryReport> {
  const gateway = await startGateway(
    'memory',
    'listen: { trustedProxies: [127.0.0.1/32] }\nlog: { format: off }\ncredit: { simulateAuth: none }\n',
  )
  try {
    const warm = { path: '/v1/credit/simulate?amount=50011', connections: 32, script: 'many-clients.lua' }
    await measure(gateway, { ...warm, seconds: 2, script: 'one-client.lua' })
    const beforeMb = residentMb(gateway.pid)
    let requests = 0
    for (let spent = 0; requests < REQUESTS && spent < MOST_SECONDS; spent += SLICE_SECONDS) {
      const { requestsPerSecond } = await measure(gateway, { ...warm, seconds: SLICE_SECONDS })
      requests += Math.round(requestsPerSecond * SLICE_SECONDS)
    }
    const afterMb = residentMb(gateway.pid)
    // The same again: what grows with requests rather than with addresses would show.
    for (let i = 0; i < 2; i++) await measure(gateway, { ...warm, seconds: SLICE_SECONDS })
    return { requests, beforeMb, afterMb, laterMb: residentMb(gateway.pid) }
  } finally {
    await gateway.stop()
  }
}
