import { getOrMake } from '../../map-entries.ts'
import type { Entry } from './entry.ts'
import type { Relation } from './order.ts'
import { isUnsafe, resourcesOf } from './resources.ts'
import { valuesOf } from './values.ts'

export type EntryRelations = {
  /** What it may depend on. */
  readonly relations: readonly Relation[]
  /** What it may have changed: the relations whose `unsafe` it stands in. */
  readonly changes: readonly Relation[]
}

/** What relates an entry to others. Each relation is worked out when an entry that it is about is first asked for. */
export type Relations = (entry: Entry) => EntryRelations

type Changes = { readonly unsafe: number[] }
/** Client of one recording -> what it may have changed. */
type ByScope = Map<string, Changes>

/** Values that say nothing about what an interaction is about. */
const UNRELATED = new Set(['idempotency-key', 'requestId', 'cursor'])

/** Only what may have changed something is looked for: a recording of a thousand reads has nothing to be ordered by. */
export function createRelations(entries: readonly Entry[]): Relations {
  const unsafe = entries.filter(isUnsafe)
  const mentions = valuesOf(unsafe)
  const byPosition = new Map(unsafe.map((entry) => [entry.position, entry]))
  const values = new Map<string, Map<string, ByScope>>()
  let resources: Map<string, ByScope> | undefined

  const ofValue = (type: string, value: string, scope: string): Relation | undefined => {
    const positions = mentions.get(type)?.get(value)
    if (positions === undefined) return undefined
    const ofType = getOrMake(values, type, () => new Map<string, ByScope>())
    return getOrMake(
      getOrMake(ofType, value, () => byScopeOf(positions, byPosition)),
      scope,
      noChanges,
    )
  }

  const ofResource = (name: string, scope: string): Relation => {
    resources ??= resourcesByScope(unsafe)
    return getOrMake(getOrMake(resources, name, noScopes), scope, noChanges)
  }

  return (entry) => {
    const { shape, interaction, scope } = entry
    const ofValues: Relation[] = []
    for (const [i, { type, field }] of shape.kinds.entries()) {
      if (UNRELATED.has(field)) continue
      const relation = ofValue(type, interaction.bindings[i]?.value ?? '', scope)
      if (relation) ofValues.push(relation)
    }
    const { dependsOn, changes } = resourcesOf(entry)
    return {
      relations: [...ofValues, ...dependsOn.map((name) => ofResource(name, scope))],
      changes: byPosition.has(entry.position)
        ? [...ofValues, ...changes.map((name) => ofResource(name, scope))]
        : [],
    }
  }
}

function byScopeOf(positions: readonly number[], byPosition: ReadonlyMap<number, Entry>): ByScope {
  const found = noScopes()
  for (const position of positions) {
    const scope = byPosition.get(position)?.scope
    if (scope !== undefined) getOrMake(found, scope, noChanges).unsafe.push(position)
  }
  return found
}

function resourcesByScope(unsafe: readonly Entry[]): Map<string, ByScope> {
  const found = new Map<string, ByScope>()
  for (const entry of unsafe) {
    for (const name of resourcesOf(entry).changes)
      getOrMake(getOrMake(found, name, noScopes), entry.scope, noChanges).unsafe.push(entry.position)
  }
  return found
}

function noScopes(): ByScope {
  return new Map()
}

function noChanges(): Changes {
  return { unsafe: [] }
}
