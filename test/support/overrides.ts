import type { Override } from '../../src/config/environment.ts'

/** Settings by path, such as `decisions.from`, as the flags of a command line that give them. */
export function overrides(settings: Readonly<Record<string, unknown>>): Override[] {
  return Object.entries(settings).map(([name, value]) => ({ source: 'test', path: name.split('.'), value }))
}
