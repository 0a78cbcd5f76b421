import { groupKey } from '../matching/entry.ts'
import type { Group, Indexed } from '../matching/entry-index.ts'
import { valueAt } from '../matching/layout.ts'
import type { MissContext } from './context.ts'

/** How many interactions are compared with the request. */
const COMPARED = 200

/**
 * The interactions that a report is chosen from: those with the request's key, then those that share one of its
 * values, then what is left of the same operation. Never more than COMPARED.
 */
export function closestEntries(miss: MissContext): readonly Indexed[] {
  const { state } = miss.lane
  const positions = new Set<number>()
  const take = (list: readonly number[], limit: number): void => {
    let left = limit
    for (const position of list) {
      if (left-- <= 0 || positions.size >= COMPARED) return
      positions.add(position)
    }
  }
  for (const { bucket, values } of miss.lookups) {
    for (const [i, value] of values.entries()) {
      const { type } = bucket.layout.holes[i] ?? { type: '' }
      take(bucket.byValue[i]?.get(state.table.recordedOf(type, value) ?? value) ?? [], 20)
    }
    take(bucket.entries.slice(state.heads.get(bucket.entries) ?? 0), 20)
    take(bucket.entries, 20)
  }
  if (positions.size === 0) {
    for (const group of groupsNearby(miss)) {
      for (const { layout } of group.layouts) {
        for (const { place, type } of layout.holes) {
          const value = valueAt(miss.live.raw, place)
          if (value === undefined) continue
          const recorded = state.table.recordedOf(type, value) ?? value
          take(inGroup(state.index.byValue.get(type)?.get(recorded) ?? [], group, miss), 40)
        }
      }
      const unserved = unservedOf(group, miss)
      take(unserved, 80)
      take(group.entries, 40)
    }
  }
  return [...positions].flatMap((position) => state.index.entries.get(position) ?? [])
}

/** The group of the request; when there is none, those of the same operation, else of the same path. */
function groupsNearby({ lane, live }: MissContext): readonly Group[] {
  const { groups } = lane.state.index
  const own = groups.get(groupKey(live.prepared, live.operation))
  if (own) return [own]
  const { method, segments } = live.prepared
  const nearby: Group[] = []
  for (const [name, group] of groups) {
    const sameOperation = live.operation !== undefined && name.split(' ')[1] === live.operation
    const sameShape = name.startsWith(`${method} `) || name.endsWith(` ${segments.length}`)
    if (sameOperation || sameShape) nearby.push(group)
    if (nearby.length === 8) break
  }
  return nearby
}

function inGroup(positions: readonly number[], group: Group, { lane }: MissContext): readonly number[] {
  const name = lane.state.index.entries.get(group.entries[0] ?? -1)?.group
  return positions.slice(0, COMPARED).filter((each) => lane.state.index.entries.get(each)?.group === name)
}

/** The next ones that were not served, of the first few thousand: where the client most likely is. */
function unservedOf(group: Group, { lane }: MissContext): readonly number[] {
  const found: number[] = []
  for (const position of group.entries.slice(0, COMPARED * 20)) {
    if (!lane.view.isServed(position)) found.push(position)
    if (found.length === COMPARED) break
  }
  return found
}
