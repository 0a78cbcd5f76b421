import type { Entry } from './matcher-entry.ts'
import { isUnsafe, type Relation, resourcesOf } from './order.ts'

export type EntryRelations = {
  /** What it may depend on. */
  readonly relations: readonly Relation[]
  /** What it may have changed: the relations whose `unsafe` it stands in. */
  readonly changes: readonly Relation[]
}

/** What relates an entry to others. Each relation is worked out when an entry that it is about is first asked for. */
export type Relations = (entry: Entry) => EntryRelations

/** Client of one recording -> the unsafe entries of it. */
type ByScope = Map<string, { readonly unsafe: number[] }>

/** Values that say nothing about what an interaction is about. */
const UNRELATED = new Set(['idempotency-key', 'requestId', 'cursor'])

const NOTHING: readonly number[] = []

export function createRelations(
  entries: readonly Entry[],
  byPosition: ReadonlyMap<number, Entry>,
  byValue: { readonly get: (type: string) => ReadonlyMap<string, readonly number[]> | undefined },
): Relations {
  const values = new Map<string, ByScope>()
  let resources: Map<string, ByScope> | undefined

  const ofValue = (type: string, value: string, scope: string): Relation | undefined => {
    const mentions = byValue.get(type)?.get(value) ?? NOTHING
    // Nothing else is about it.
    if (mentions.length < 2) return undefined
    const id = `${type}\0${value}`
    const known = values.get(id) ?? unsafeByScope(mentions, byPosition)
    values.set(id, known)
    return within(known, scope)
  }

  const ofResource = (name: string, scope: string): Relation => {
    resources ??= resourcesByScope(entries)
    const known: ByScope = resources.get(name) ?? new Map()
    resources.set(name, known)
    return within(known, scope)
  }

  return (entry) => {
    const { shape, interaction } = entry
    const scope = scopeOf(entry)
    const ofValues: Relation[] = []
    for (const [i, { type, field }] of shape.kinds.entries()) {
      if (UNRELATED.has(field)) continue
      const relation = ofValue(type, interaction.bindings[i]?.value ?? '', scope)
      if (relation) ofValues.push(relation)
    }
    const { dependsOn, changes } = resourcesOf(entry)
    return {
      relations: [...ofValues, ...dependsOn.map((name) => ofResource(name, scope))],
      changes: isUnsafe(interaction) ? [...ofValues, ...changes.map((name) => ofResource(name, scope))] : [],
    }
  }
}

function unsafeByScope(positions: readonly number[], byPosition: ReadonlyMap<number, Entry>): ByScope {
  const found: ByScope = new Map()
  for (const position of positions) {
    const entry = byPosition.get(position)
    if (entry && isUnsafe(entry.interaction)) within(found, scopeOf(entry)).unsafe.push(position)
  }
  return found
}

function resourcesByScope(entries: readonly Entry[]): Map<string, ByScope> {
  const found = new Map<string, ByScope>()
  for (const entry of entries) {
    for (const name of resourcesOf(entry).changes) {
      const ofName: ByScope = found.get(name) ?? new Map()
      found.set(name, ofName)
      within(ofName, scopeOf(entry)).unsafe.push(entry.position)
    }
  }
  return found
}

function scopeOf({ cassetteNumber, interaction }: Entry): string {
  return `${cassetteNumber} ${interaction.lane}`
}

function within(scopes: ByScope, scope: string) {
  const found = scopes.get(scope) ?? { unsafe: [] }
  scopes.set(scope, found)
  return found
}
