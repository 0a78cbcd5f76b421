import { withoutKeys } from '../tokens/registry.ts'
import type { Settings } from './settings.ts'

/**
 * Keys that a command has revoked in the running gateway. The file says the same, but a reading of it that began
 * before may come to its end after: until a configuration says itself that the key is revoked, it is refused here.
 */
export type Revocations = {
  readonly revoke: (settings: Settings, keyId: string) => Settings
  /** The settings of another configuration, without the keys that it does not know to be revoked yet. */
  readonly reapply: (settings: Settings) => Settings
}

export function createRevocations(): Revocations {
  const pending = new Set<string>()
  // As it is now: a request goes by the settings that it came in under, while the signature of its token is checked
  // as well, and what a later configuration says itself is not in those.
  const without = (settings: Settings): Settings => ({
    ...settings,
    registry: withoutKeys(settings.registry, new Set(pending)),
  })
  return {
    revoke: (settings, keyId) => {
      // Over the keys of the registry that is there: those of earlier revocations stay out of it.
      pending.add(keyId)
      return without(settings)
    },
    reapply: (settings) => {
      for (const { keys } of pending.size === 0 ? [] : settings.config.partners)
        for (const { id, revoked } of keys) if (revoked === true) pending.delete(id)
      return pending.size === 0 ? settings : without(settings)
    },
  }
}
