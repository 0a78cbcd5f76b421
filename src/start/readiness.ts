import type { Lifecycle } from '../gateway/lifecycle.ts'
import type { Readiness } from '../gateway/operator-server.ts'
import type { Store } from '../store/store.ts'
import type { LiveDeciders } from './deciders.ts'
import type { ConfigurationState } from './metric-sources.ts'

/** What `/readyz` says. An upstream that fails is shown and takes no gateway out of its balancer. */
export function readiness(parts: {
  readonly lifecycle: Lifecycle
  readonly store: Store
  readonly configuration: () => ConfigurationState
  readonly deciders: Pick<LiveDeciders, 'upstream'>
}): () => Readiness {
  const { lifecycle, store, configuration, deciders } = parts
  return () => {
    const draining = lifecycle.leaving()
    const health = store.health()
    const upstream = deciders.upstream()
    return {
      ready: !draining && health.writable && !lifecycle.stuck(),
      draining,
      overloaded: lifecycle.overloaded(),
      store: health,
      configuration: configuration(),
      ...(upstream && { upstream: { breaker: upstream.breaker } }),
    }
  }
}
