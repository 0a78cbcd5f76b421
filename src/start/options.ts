import type { Clock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Decider } from '../decisions/decide.ts'
import type { ConfigurationControl } from '../gateway/operator-configuration.ts'
import type { Recordings } from '../gateway/recordings.ts'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { UsageHistory } from '../observe/usage-history.ts'
import type { Ids } from '../simulator/ids.ts'
import type { ActiveKey } from '../tokens/key-file.ts'
import type { UpstreamParts } from './deciders.ts'
import type { ConfigurationState } from './metric-sources.ts'

export type StartOptions = {
  readonly config: Config
  readonly logger: Logger
  /** The state of the files on disk, for /readyz and the metrics. */
  readonly configuration?: () => ConfigurationState
  /** The files themselves, for commands that have changed them. */
  readonly files?: Pick<ConfigurationControl, 'files' | 'reload'>
  /** The clock to run on; by default the system's. */
  readonly clock?: Clock
  /** Where identifiers come from; by default random. */
  readonly ids?: Ids
  /** Where a gateway that has no signing key gets its first one; by default it makes one. */
  readonly firstKey?: (make: () => Promise<ActiveKey>) => Promise<ActiveKey>
  /** Sees every exchange in place of the recordings that an operator starts. */
  readonly observer?: Pick<Recordings, 'isActive' | 'record'>
  /** Who decides; by default the simulator. */
  readonly decider?: Decider
  /** How names of an upstream are looked up; by default as the system does. */
  readonly lookup?: UpstreamParts['lookup']
  /** Who counts; by default metrics and usage history of its own. */
  readonly counts?: { readonly metrics: Metrics; readonly history: UsageHistory }
}
