import { isLoopbackHost, isLoopbackUrl } from '../http/loopback.ts'
import type { Config } from './schema.ts'

/** Why others than the operator's own machine can reach the gateway; undefined when nobody else can. */
export function reachableBecause({ host, publicUrl, trustedProxies }: Config['listen']): string | undefined {
  if (!isLoopbackHost(host)) return `listen.host ${host} is beyond loopback`
  if (publicUrl !== null && !isLoopbackUrl(publicUrl)) return `listen.publicUrl ${publicUrl} is not loopback`
  return trustedProxies.length > 0
    ? 'listen.trustedProxies says that others reach it through a proxy'
    : undefined
}

/** Load balancers that ask every few seconds have noticed by then. */
const LAME_DUCK_MS = 5000

/** How long the gateway serves on after it was asked to stop: not at all where no balancer has to notice. */
export function lameDuckMs({ server, listen }: Config): number {
  return server.lameDuckMs ?? (reachableBecause(listen) === undefined ? 0 : LAME_DUCK_MS)
}
