import type { Engine } from './engine.ts'
import { endGeneration, ownerIn } from './generations.ts'
import { quotaName } from './keyspace.ts'
import { DATA_KINDS, type DataKind, type DataOwner, type DataUsage } from './store.ts'

const whoOf = (kind: DataKind, { partner, tenant }: DataOwner): string => (kind === 'keys' ? partner : tenant)

export function dataUsage({ quotas }: Engine, owner: DataOwner): DataUsage[] {
  return DATA_KINDS.map((kind) => ({ kind, ...quotas.usage(kind, whoOf(kind, owner)) }))
}

export async function resetData(
  { commits }: Engine,
  owner: DataOwner,
  kinds: readonly DataKind[],
): Promise<void> {
  const all = kinds.map((kind) => ({ kind, who: whoOf(kind, owner) }))
  await commits.submit((view) => {
    for (const { kind, who } of all) {
      // Nothing is kept without being counted: an empty generation goes on.
      if (view.read(quotaName(kind, ownerIn(view, kind, who))) !== undefined) endGeneration(view, kind, who)
    }
  })
}
