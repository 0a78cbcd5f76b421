import type { Entries } from './backing.ts'

/** Cap counters, quotas and generations (keyspace.ts): asked for by each admission and each settlement. */
const isNumber = (name: string): boolean => {
  const kind = name.charCodeAt(0)
  return (kind === CAP || kind === QUOTA || kind === GENERATION) && name.charCodeAt(1) === 0
}
const [CAP, QUOTA, GENERATION] = [0x63, 0x71, 0x6e]

/** Some 200 bytes each. Of more, all are read again. */
const MOST = 50_000

/**
 * Remembers the small numbers that each request needs, as they are durable: from the disk's map one takes 5 to 10 µs,
 * and a buffer of its own that has to be collected. Nobody else writes them: a directory has one owner.
 */
export function withKnownNumbers(entries: Entries): Entries {
  let known = new Map<string, Buffer | undefined>()
  let hasWritten = false

  function remember(name: string, value: Buffer | undefined): void {
    if (known.size >= MOST) known = new Map()
    known.set(name, value && ownCopy(value))
  }

  return {
    ...entries,
    read(name) {
      if (!isNumber(name)) return entries.read(name)
      const found = known.get(name)
      if (found !== undefined || known.has(name)) return found
      const value = entries.read(name)
      remember(name, value)
      return value
    },
    async write(writes) {
      try {
        await entries.write(writes)
      } catch (error) {
        // Nothing should have changed; what has is on the disk.
        known = new Map()
        throw error
      }
      // A directory that could not be claimed before its first write may have got counts with it.
      if (!hasWritten) known = new Map()
      hasWritten = true
      for (const [name, value] of writes) if (isNumber(name)) remember(name, value)
    },
  }
}

/** Not a part of a larger piece of memory, which would live as long. */
function ownCopy(value: Buffer): Buffer {
  const copy = Buffer.alloc(value.length)
  value.copy(copy)
  return copy
}
