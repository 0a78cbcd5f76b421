import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileSync, writeAllSync } from '../replace-file.ts'
import { isOurs, userCache } from '../user-cache.ts'
import { type ActiveKey, KEY_FILE, parseKeys, serialize } from './key-file.ts'

/**
 * The key of a gateway on this machine that keeps nothing, from the one before it: making a key takes longer than all
 * else before the first answer. What is wrong with a file that is there, or with where it would be, never shows: then
 * a new key is made, and kept where that can be done. `directory` is a cache of the user's.
 */
export async function cachedKey(
  make: () => Promise<ActiveKey>,
  directory: string | undefined = userCache('replay-key'),
): Promise<ActiveKey> {
  const kept = directory === undefined ? undefined : keptIn(directory)
  if (kept !== undefined) return kept
  const made = await make()
  if (directory !== undefined) keep(directory, made)
  return made
}

/** Replays that start at once may all keep theirs: the last one stays. */
function keep(directory: string, made: ActiveKey): void {
  const text = Buffer.from(serialize({ active: made, retiring: [] }))
  try {
    replaceFileSync(join(directory, KEY_FILE), (fd) => writeAllSync(fd, text, 0), 0o600)
  } catch {
    // A full disk, say: the next replay makes its own.
  }
}

/** What was read last. A program that replays again, a test runner say, need not try the same key again. */
let last: { readonly text: string; readonly key: ActiveKey } | undefined

function keptIn(directory: string): ActiveKey | undefined {
  try {
    const path = join(directory, KEY_FILE)
    if (!isOurs(path)) return undefined
    const text = readFileSync(path, 'utf8')
    if (last?.text !== text) last = { text, key: parseKeys(text).active }
    return last.key
  } catch {
    return undefined
  }
}
