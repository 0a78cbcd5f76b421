import { existsSync } from 'node:fs'

/** Where a configuration is looked for when none is named. */
export const USUAL_FILES = ['config/sandgate.yaml', 'sandgate.yaml']

/** The named file, else the first of the usual ones that is there, else null: the built-in defaults. */
export function configFile(named: string | true | undefined): string | null {
  if (typeof named === 'string') return named
  return USUAL_FILES.find((file) => existsSync(file)) ?? null
}
