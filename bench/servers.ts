import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './clean-up.ts'
import { type Subject, start } from './process.ts'

export const CLIENT = { id: 'key_bench', secret: 'sk_sandbox_benchmark_key_on_loopback_only' }

/** A bare server of bench/peers, as the other side of a ratio. */
export function startPeer(name: string, file: string): Promise<Subject> {
  return start({ name, command: [process.execPath, join(import.meta.dirname, 'peers', file)] })
}

/** The gateway with or without its metrics and its usage history, started in the same way. */
export async function startCounting(name: string, counting: 'counted' | 'uncounted'): Promise<Subject> {
  const directory = temporaryDirectory()
  const config = join(directory.path, 'sandgate.yaml')
  writeFileSync(config, `${GENEROUS}log: { format: off }\n`)
  const peer = join(import.meta.dirname, 'peers', 'gateway.js')
  const subject = await start({
    name,
    command: [process.execPath, peer, config, join(directory.path, 'data'), counting],
  })
  return {
    ...subject,
    stop: async () => {
      await subject.stop()
      directory.remove()
    },
  }
}

/** The product's own command, with limits and caps that the load does not reach. */
export async function startGateway(
  name: string,
  settings = '',
  { operatorPort = 0, cores }: { operatorPort?: number; cores?: string } = {},
): Promise<Subject> {
  const directory = temporaryDirectory()
  const config = join(directory.path, 'sandgate.yaml')
  writeFileSync(config, `${GENEROUS}${settings}`)
  const ports = ['--port', '0', '--operator-port', String(operatorPort)]
  const data = ['--data', join(directory.path, 'data')]
  const subject = await start({
    name,
    command: [process.execPath, 'dist/cli/main.js', 'serve', '--config', config, ...ports, ...data],
    ...(cores && { cores }),
  })
  return {
    ...subject,
    stop: async () => {
      await subject.stop()
      directory.remove()
    },
  }
}

const HUGE = 1_000_000_000
const GENEROUS = `
rateLimits:
  groups: { token: ${HUGE}, accounts.open: ${HUGE}, kyc.submit: ${HUGE}, payments.fund: ${HUGE}, payments.cashout: ${HUGE}, credit.simulate: ${HUGE}, credit.apply: ${HUGE}, other: ${HUGE} }
caps:
  - { product: payments.fund, period: day, unit: amount, limit: 9007199254740991 }
partners:
  - id: demo
    name: Demo partner
    tenant: tn_sandbox_demo
    scopes: [accounts:read, accounts:write, kyc:initiate, payments:write, webhooks:register]
    keys: [{ id: key_bench, sha256: 5c1bc90c1b0f52833a03b53f1920b80eced532b029aba1e62f9caac63bda4060 }]
`

/** The header of a client that has just been given a token. */
export async function authorization(url: string): Promise<string> {
  const response = await fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: CLIENT.id, client_secret: CLIENT.secret }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return `Bearer ${token}`
}
