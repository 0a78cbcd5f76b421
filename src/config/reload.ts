import { isDeepStrictEqual } from 'node:util'
import { isMapping, pathText } from './paths.ts'
import { type Config, ConfigSchema } from './schema.ts'
import type { Schema } from './wording.ts'

export type Reloaded = {
  readonly config: Config
  /** Settings that differ but only count at the next start, such as `listen.port`. */
  readonly needsRestart: readonly string[]
}

/** The running configuration with what may change while running taken from `next`. */
export function reloaded(running: Config, next: Config): Reloaded {
  const needsRestart: string[] = []
  const config = merged(ConfigSchema, running, next, [], needsRestart) as Config
  return { config, needsRestart }
}

function merged(
  schema: Schema,
  running: unknown,
  next: unknown,
  path: readonly string[],
  needsRestart: string[],
): unknown {
  if (schema.reload) return next
  if (schema.properties && isMapping(running) && isMapping(next)) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, child]) => [
        key,
        merged(child, running[key], next[key], [...path, key], needsRestart),
      ]),
    )
  }
  if (!isDeepStrictEqual(running, next)) needsRestart.push(pathText(path))
  return running
}
