import { randomBytes } from 'node:crypto'
import { partitionPoint } from '../partition-point.ts'
import type { Backing, Entry, RangeQuery } from './backing.ts'
import { createCommits, type OnCommit } from './commits.ts'
import { countingFences } from './fences.ts'
import { ANSWER_PREFIX } from './keyspace.ts'
import { createStore } from './local-store.ts'
import type { Store } from './store.ts'

export type MemoryStoreOptions = {
  /** How many live rate windows are held before new subjects share one. */
  readonly maxWindows?: number
  readonly onCommit?: OnCommit
}

/** A store that lives as long as its process: for tests and for replay. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const backing = createMemoryBacking()
  return createStore({
    backing,
    commits: createCommits(backing, queueMicrotask, options.onCommit),
    fences: countingFences(),
    maxWindows: options.maxWindows,
    secret: randomBytes(32),
    release: async () => {},
  })
}

/** Kinds of names that are listed in order; the others are only looked up, and a sorted insert would be wasted. */
const LISTED = new Set(['r', 'e', 'u', 'g', 'h'])

function createMemoryBacking(): Backing {
  const values = new Map<string, Buffer>()
  const listed = new Map<string, string[]>()

  function list(name: string): string[] | undefined {
    const kind = name.charAt(0)
    if (!LISTED.has(kind)) return undefined
    let names = listed.get(kind)
    if (names === undefined) {
      names = []
      listed.set(kind, names)
    }
    return names
  }

  function put(name: string, value: Buffer): void {
    if (!values.has(name)) {
      const names = list(name)
      names?.splice(firstFrom(names, name), 0, name)
    }
    values.set(name, value)
  }

  function remove(name: string): void {
    if (!values.delete(name)) return
    const names = list(name)
    names?.splice(firstFrom(names, name), 1)
  }

  function* range({ from, to, limit, reverse = false }: RangeQuery): Generator<Entry> {
    const names = list(from) ?? []
    const first = firstFrom(names, from)
    const end = firstFrom(names, to)
    const count = Math.min(limit, end - first)
    for (let n = 0; n < count; n++) {
      const name = names[reverse ? end - 1 - n : first + n] ?? ''
      const value = values.get(name)
      if (value !== undefined) yield { name, value }
    }
  }

  return {
    read: (name) => values.get(name),
    range,
    *names(query) {
      for (const { name } of range(query)) yield name
    },
    answers: () => ({
      names: [...values.keys()].filter((name) => name.startsWith(ANSWER_PREFIX)),
      next: undefined,
    }),
    disk: () => undefined,
    async write(writes) {
      for (const [name, value] of writes) {
        if (value === undefined) remove(name)
        else put(name, value)
      }
    },
    close: async () => values.clear(),
  }
}

/** The position of the first name that is not below `bound`. */
function firstFrom(names: readonly string[], bound: string): number {
  return partitionPoint(names.length, (i) => (names[i] ?? '') < bound)
}
