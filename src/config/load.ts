import { dirname, resolve } from 'node:path'
import { checked } from './check.ts'
import { DEMO_PARTNER } from './demo.ts'
import { fromEnvironment, type Override, overridePlace, withOverride } from './environment.ts'
import { type ConfigError, configError, type Place } from './errors.ts'
import { PartnersSchema } from './partners.ts'
import { isMapping, isWithin, type Path } from './paths.ts'
import { RULES } from './rules.ts'
import { type Config, ConfigSchema } from './schema.ts'
import { upstreamWarnings } from './upstream-rules.ts'
import { readYamlFile, type YamlFile } from './yaml-file.ts'

export type LoadOptions = {
  /** The configuration file. Null: every default, and the demo partner. */
  readonly file?: string | null
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What the command line sets; wins over the environment, which wins over the file. */
  readonly flags?: readonly Override[]
}

export type LoadResult = {
  /** Absolute paths of every file that the configuration is made of, also of those that are missing. */
  readonly files: readonly string[]
  /** What each of them held when it was read, as a digest; undefined of one that could not be read. */
  readonly digests: readonly (string | undefined)[]
  readonly warnings: readonly string[]
} & (
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly errors: readonly ConfigError[] }
)

const NO_FILE: YamlFile = {
  name: 'built-in defaults',
  value: undefined,
  errors: [],
  place: () => ({ file: 'built-in defaults', line: null, column: null }),
}

/** Reads and checks a whole configuration; finds every mistake, not only the first. */
export function loadConfig({ file = null, env = {}, flags = [] }: LoadOptions = {}): LoadResult {
  const main = file === null ? NO_FILE : readYamlFile(file)
  const environment = fromEnvironment(env)
  const { overrides: variables, warnings } = environment
  const overrides = [...variables, ...flags]
  const sources: Source[] = overrides.map(({ source, path }) => ({
    path,
    place: () => overridePlace(source),
  }))
  const mistakes = collector(main, sources)
  mistakes.errors.push(...main.errors)
  if (!isMapping(main.value ?? {})) mistakes.report([], notAMapping(main.value))
  const files = file === null ? [] : [resolve(file)]
  const digests = file === null ? [] : [main.digest]
  // What could not be read has no settings to judge.
  if (mistakes.errors.some(({ path }) => path === '') && !isMapping(main.value)) {
    return { ok: false, errors: mistakes.errors, files, digests, warnings }
  }

  for (const { source, message } of environment.mistakes) {
    mistakes.errors.push(configError(overridePlace(source), [], message))
  }

  const value = overrides.reduce<unknown>(
    (before, one) => withOverride(before, one.path, one.value),
    main.value ?? {},
  )
  const draft = checked(ConfigSchema, value, [], mistakes.report) as Draft
  loadPartners()

  for (const rule of RULES) {
    if (!rule.reads.some((section) => mistakes.isIn(section))) rule.check(draft as Config, mistakes.report)
  }
  if (mistakes.errors.length > 0)
    return { ok: false, errors: inOrder(mistakes.errors), files, digests, warnings }
  const config = draft as Config
  return { ok: true, config, files, digests, warnings: [...warnings, ...upstreamWarnings(config)] }

  function loadPartners(): void {
    if (typeof draft.partners !== 'string' || mistakes.isIn('partners')) return
    const fromOutside = overrides.some(({ path }) => path[0] === 'partners')
    if (file === null && !fromOutside) {
      draft.partners = [DEMO_PARTNER]
      return
    }
    // A path in the file is relative to the file; one in a variable or flag to where it was typed.
    const path = resolve(file === null || fromOutside ? '' : dirname(file), draft.partners)
    files.push(path)
    const list = readYamlFile(path)
    digests.push(list.digest)
    if (list.value === undefined && list.errors.every(({ line }) => line === null)) {
      for (const { message } of list.errors) {
        mistakes.report(['partners'], `${list.name}: ${message}; put the partners there or list them here`)
      }
      return
    }
    sources.push({ path: ['partners'], place: (inside, at) => list.place(inside.slice(1), at) })
    mistakes.errors.push(...list.errors)
    if (list.value === undefined) mistakes.damaged.add('partners')
    else draft.partners = checked(PartnersSchema, list.value, ['partners'], mistakes.report)
  }
}

type Draft = { partners: unknown }

/** Says where something comes from when it is not in the main file. */
type Source = { readonly path: Path; readonly place: (path: Path, at: 'key' | 'value') => Place }

function collector(main: YamlFile, sources: readonly Source[]) {
  const errors: ConfigError[] = []
  const damaged = new Set<string>()
  // The last one wins, as it does for the values.
  const sourceOf = (path: Path): Source =>
    sources.findLast((one) => isWithin(path, one.path)) ?? { path, ...main }
  return {
    errors,
    damaged,
    isIn: (section: string) => damaged.has(section),
    report: (path: Path, message: string, at: 'key' | 'value' = 'value') => {
      errors.push(configError(sourceOf(path).place(path, at), path, message))
      damaged.add(String(path[0] ?? ''))
    },
  }
}

function notAMapping(value: unknown): string {
  const given = Array.isArray(value) ? 'a list' : 'a single value'
  return `the configuration must be a mapping of settings such as "listen:", not ${given}`
}

/** By file as they were read, then by line, the way one works through them. */
function inOrder(errors: readonly ConfigError[]): ConfigError[] {
  const files = [...new Set(errors.map(({ file }) => file))]
  return errors.toSorted(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  )
}
