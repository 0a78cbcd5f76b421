import { getOrMake } from '../../map-entries.ts'
import { freeName } from '../bindings/free-name.ts'

/**
 * Which live value stands for which recorded one, in one lane. One live value of a type stands for one recorded
 * value and no other, so two customers stay two customers.
 */
export type BindingTable = {
  readonly recordedOf: (type: string, live: string) => string | undefined
  readonly liveOf: (type: string, recorded: string) => string | undefined
  readonly bind: (type: string, recorded: string, live: string) => void
  /** Swaps the live values of two recorded ones. */
  readonly swap: (type: string, a: string, b: string) => void
  /** The live name of a recorded value that the tape gives out: its own, unless that one is taken. */
  readonly nameFor: (type: string, recorded: string) => string
  /** How often something was bound. Swaps do not count: they can be undone. */
  readonly bindings: () => number
  /** Everything that is bound. */
  readonly all: () => Iterable<{ readonly type: string; readonly recorded: string; readonly live: string }>
}

export function createBindingTable(): BindingTable {
  const toRecorded = new Map<string, Map<string, string>>()
  const toLive = new Map<string, Map<string, string>>()
  const recordedOf = (type: string, live: string) => toRecorded.get(type)?.get(live)
  const liveOf = (type: string, recorded: string) => toLive.get(type)?.get(recorded)
  let bindings = 0

  const bind = (type: string, recorded: string, live: string): void => {
    if (liveOf(type, recorded) === live && recordedOf(type, live) === recorded) return
    bindings++
    set(type, recorded, live)
  }

  const set = (type: string, recorded: string, live: string): void => {
    mapOf(toRecorded, type).set(live, recorded)
    mapOf(toLive, type).set(recorded, live)
  }

  const swap = (type: string, a: string, b: string): void => {
    const liveA = liveOf(type, a)
    const liveB = liveOf(type, b)
    mapOf(toLive, type).delete(a)
    mapOf(toLive, type).delete(b)
    if (liveA !== undefined) set(type, b, liveA)
    if (liveB !== undefined) set(type, a, liveB)
  }

  const nameFor = (type: string, recorded: string): string => {
    return liveOf(type, recorded) ?? freeName(recorded, (name) => recordedOf(type, name))
  }

  function* all() {
    for (const [type, names] of toLive) for (const [recorded, live] of names) yield { type, recorded, live }
  }

  return { recordedOf, liveOf, bind, swap, nameFor, bindings: () => bindings, all }
}

function mapOf(maps: Map<string, Map<string, string>>, type: string): Map<string, string> {
  return getOrMake(maps, type, () => new Map())
}
