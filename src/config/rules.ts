import { isLoopbackHost, isUnusableHost } from '../http/loopback.ts'
import { checkOutcomes } from './outcome-rules.ts'
import { checkCapList, checkPartners } from './partner-rules.ts'
import type { Path } from './paths.ts'
import { reachableBecause } from './reach.ts'
import { isDemoKey } from './sandbox-keys.ts'
import type { Config } from './schema.ts'
import { checkDecisions, checkTrustedIssuers, checkUpstream, checkUpstreamTime } from './upstream-rules.ts'

type Report = (path: Path, message: string) => void

/** What no single value can say. A rule runs when nothing is wrong with what it `reads`. */
export type Rule = {
  readonly reads: readonly (keyof Config)[]
  readonly check: (config: Config, report: Report) => void
}

export const RULES: readonly Rule[] = [
  { reads: ['partners'], check: checkPartners },
  { reads: ['caps'], check: ({ caps }, report) => checkCapList(caps, ['caps'], report) },
  { reads: ['outcomes'], check: checkOutcomes },
  { reads: ['server'], check: checkTimeouts },
  { reads: ['listen', 'operator'], check: checkListeners },
  { reads: ['listen', 'operator', 'clock'], check: checkClock },
  { reads: ['listen', 'partners'], check: checkDemoKey },
  { reads: ['listen'], check: checkReachable },
  { reads: ['decisions', 'upstream'], check: checkDecisions },
  { reads: ['upstream', 'idempotency'], check: checkUpstreamTime },
  { reads: ['upstream'], check: checkUpstream },
  { reads: ['tokens'], check: checkTrustedIssuers },
]

function checkTimeouts({ server }: Config, report: Report): void {
  if (server.headersTimeoutMs <= server.requestTimeoutMs) return
  const whole = `server.requestTimeoutMs, which is ${server.requestTimeoutMs}`
  report(
    ['server', 'headersTimeoutMs'],
    `must not be more than ${whole}: the headers are part of the request`,
  )
}

/** Without a public URL the issuer and every link are made of the host, so it has to be one that clients can use. */
function checkReachable({ listen: { host, publicUrl } }: Config, report: Report): void {
  if (publicUrl !== null || !isUnusableHost(host)) return
  report(
    ['listen', 'host'],
    `${host} is an address that no client can use, and without listen.publicUrl every URL would be made of it: set listen.publicUrl (--public-url) to what partners type, such as https://sandbox.example.com`,
  )
}

function checkListeners({ listen, operator }: Config, report: Report): void {
  if (!isLoopbackHost(operator.host) && operator.token === null) {
    report(
      ['operator', 'host'],
      `${operator.host} is beyond loopback, where the operator listener needs a token: set operator.token (SANDGATE_OPERATOR_TOKEN) or listen on 127.0.0.1`,
    )
  }
  if (listen.port !== 0 && listen.port === operator.port && listen.host === operator.host) {
    report(
      ['operator', 'port'],
      `${operator.port} is the port of the partner listener as well; choose another`,
    )
  }
}

/** Whoever can move the clock can expire every token and every window. */
function checkClock({ listen, operator, clock }: Config, report: Report): void {
  if (!clock.controllable || operator.token !== null) return
  const beyond = [listen.host, operator.host].find((host) => !isLoopbackHost(host))
  if (beyond === undefined) return
  report(
    ['clock', 'controllable'],
    `must be false while the gateway listens on ${beyond}, beyond loopback, without operator.token`,
  )
}

/** The demo key is published, so it must not open a gateway that anybody else can reach. */
function checkDemoKey({ listen, partners }: Config, report: Report): void {
  const reachable = reachableBecause(listen)
  if (reachable === undefined) return
  for (const [i, partner] of partners.entries()) {
    for (const [j, key] of partner.keys.entries()) {
      if (!isDemoKey(key.sha256) || key.revoked) continue
      report(
        ['partners', i, 'keys', j, 'sha256'],
        `is the published demo key, which everybody knows, and ${reachable}. Give the partner a key of its own, or set revoked: true on this one, or keep the gateway to yourself: listen.host 127.0.0.1, no listen.publicUrl and no listen.trustedProxies`,
      )
    }
  }
}
