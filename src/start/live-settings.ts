import type { Config } from '../config/schema.ts'
import { createRevocations } from '../gateway/revocations.ts'
import { deriveSettings, type Settings, type SharedParts } from '../gateway/settings.ts'
import { createRegistryInSlices } from '../tokens/registry.ts'
import { createWorkQueue } from '../work-queue.ts'

/** The configuration in use, as requests see it. */
export type LiveSettings = {
  readonly current: () => Settings
  /** 1 at the start, and one more for each configuration that has been taken into use since. */
  readonly generation: () => number
  /** Ends a key for the requests that follow, ahead of the files. */
  readonly revoke: (keyId: string) => void
  /** Takes a configuration into use, after those that were asked for before; resolves when requests see it. */
  readonly use: (next: Config, followers: Followers) => Promise<void>
}

/** Who follows a configuration beside the settings. */
export type Followers = {
  readonly before: (next: Config) => void
  readonly after: (next: Config, previous: Config) => void
}

export function createLiveSettings(initial: Config, shared: SharedParts): LiveSettings {
  const revocations = createRevocations()
  let settings = deriveSettings(initial, shared)
  let generation = 1
  const changes = createWorkQueue()
  return {
    current: () => settings,
    generation: () => generation,
    revoke: (keyId) => {
      settings = revocations.revoke(settings, keyId)
    },
    use: (next, { before, after }) =>
      changes.run(async () => {
        before(next)
        const registry = await createRegistryInSlices(next.partners)
        const previous = settings.config
        settings = revocations.reapply(deriveSettings(next, shared, registry))
        after(next, previous)
        generation++
      }),
  }
}
