import { partitionPoint } from '../../partition-point.ts'
import type { Interaction } from '../interaction.ts'

/**
 * What relates interactions of one lane: a value that they share, or a resource. `unsafe` holds the positions of
 * those that may have changed it, in recorded order.
 */
export type Relation = { readonly unsafe: readonly number[] }

/** How far a relation has come in one lane: everything before `next` has been served; `last` is the latest served. */
export type Progress = { next: number; last: number }

/** What ordering needs to know of an entry. Positions are those of the recorded order. */
export type Ordered = {
  readonly position: number
  readonly interaction: Interaction
  /** What it may depend on. */
  readonly relations: readonly Relation[]
  /** What it may have changed: the relations whose `unsafe` it stands in. */
  readonly changes: readonly Relation[]
}

export type OrderView = {
  readonly entryAt: (position: number) => Ordered | undefined
  readonly isServed: (position: number) => boolean
  readonly progress: Map<Relation, Progress>
}

/** How many requests that were on their way at once are looked at. */
const OVERLAPPING = 64

/** Whether `a` had its answer when `b` was sent, so that `b` may depend on it. */
function finishedBefore(a: Interaction, b: Interaction): boolean {
  if (a.reply === undefined || a.sequence >= b.sequence) return false
  if (a.startedBeforeEnd !== undefined) return a.startedBeforeEnd < b.sequence
  return Math.floor(a.startedAt + a.durationMs) <= b.startedAt
}

/** The unsafe entry that must be served before this one and has not been, if there is one. */
export function missingDependency(entry: Ordered, view: OrderView): Ordered | undefined {
  for (const relation of entry.relations) {
    const { unsafe } = relation
    const progress = progressOf(relation, view)
    while (progress.next < unsafe.length && view.isServed(unsafe[progress.next] ?? -1)) progress.next++
    const end = Math.min(unsafe.length, progress.next + OVERLAPPING)
    for (let i = progress.next; i < end; i++) {
      const position = unsafe[i] ?? 0
      if (position >= entry.position) break
      const other = view.entryAt(position)
      if (other && !view.isServed(position) && finishedBefore(other.interaction, entry.interaction))
        return other
    }
  }
  return undefined
}

/** Whether what the entry shows has been changed since: a related unsafe entry that came later has been served. */
export function isSuperseded(entry: Ordered, view: OrderView): boolean {
  for (const relation of entry.relations) {
    const { last } = progressOf(relation, view)
    if (last <= entry.position) continue
    const other = view.entryAt(last)
    if (other && finishedBefore(entry.interaction, other.interaction)) return true
  }
  return false
}

export function noteServed(entry: Ordered, view: OrderView): void {
  for (const relation of entry.changes) {
    const progress = progressOf(relation, view)
    progress.last = Math.max(progress.last, entry.position)
  }
}

/** Corrects how far the relations of an entry have come, after it was swapped with another. */
export function correctProgress(entry: Ordered, view: OrderView): void {
  const { position } = entry
  const isServed = view.isServed(position)
  for (const relation of entry.changes) {
    const progress = view.progress.get(relation)
    if (!progress) continue
    if (isServed) progress.last = Math.max(progress.last, position)
    else {
      const at = placeIn(relation.unsafe, position)
      progress.next = Math.min(progress.next, at)
      if (progress.last === position) progress.last = lastServed(relation, at, view)
    }
  }
}

function lastServed({ unsafe }: Relation, before: number, view: OrderView): number {
  for (let i = before - 1; i >= 0; i--) {
    const position = unsafe[i] ?? -1
    if (view.isServed(position)) return position
  }
  return -1
}

/** Where a position stands in a list of them, which are in ascending order. */
export function placeIn(positions: readonly number[], position: number): number {
  return partitionPoint(positions.length, (i) => (positions[i] ?? 0) < position)
}

function progressOf(relation: Relation, view: OrderView): Progress {
  const known = view.progress.get(relation)
  if (known) return known
  const made = { next: 0, last: lastServed(relation, relation.unsafe.length, view) }
  view.progress.set(relation, made)
  return made
}
