import type { ClientSubject } from '../checks/client-ip.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { UsageHistory } from '../observe/usage-history.ts'
import type { Sessions } from '../portal/sign-in/sessions.ts'
import type { Ids } from '../simulator/ids.ts'
import type { Store } from '../store/store.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { Verifier } from '../tokens/verify.ts'
import type { Answerer } from './answerer.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Recordings } from './recordings.ts'
import type { Settings } from './settings.ts'
import type { UnfinishedRequests } from './unfinished.ts'

/** What every part of the gateway works with; made once at start, handed down as an argument. */
export type Edge = {
  readonly clock: Clock
  readonly store: Store
  readonly ids: Ids
  readonly signingKeys: SigningKeys
  readonly verifier: Verifier
  readonly clientOf: (socketAddress: string | undefined, forwardedFor: string | undefined) => ClientSubject
  readonly lifecycle: Lifecycle
  readonly unfinished: UnfinishedRequests
  readonly logger: Logger
  readonly metrics: Metrics
  /** What partners have done, for the portal. */
  readonly history: UsageHistory
  /** The configuration as it is now; read once per request. */
  readonly settings: () => Settings
  /** Scheme, host and port that partners use, without a slash at the end. Known once the gateway listens. */
  readonly publicUrl: () => string
  readonly issuer: () => string
  /** Of the portal, where there is one. */
  readonly sessions?: Sessions
  /** Sees every exchange after its reply, refusals included. It returns at once and never throws. */
  readonly recorder?: Pick<Recordings, 'isActive' | 'record'>
}

/** The edge, and who answers behind it. */
export type Gateway = Edge & { readonly answerer: Answerer }

/** Whether requests are compared whole: with a tape, or by whoever reads the recording later. */
export function isTaped({ answerer, recorder }: Gateway): boolean {
  return answerer.comparesRequests || recorder?.isActive() === true
}
