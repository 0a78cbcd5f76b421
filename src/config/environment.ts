import type { ConfigError } from './errors.ts'
import { isMapping, type Path } from './paths.ts'
import { ConfigSchema } from './schema.ts'
import { didYouMean } from './suggest.ts'
import type { Schema } from './wording.ts'

/** A setting from outside the file: `source` is a variable (`SANDGATE_LISTEN_PORT`) or a flag (`--port`). */
export type Override = { readonly source: string; readonly path: Path; readonly value: unknown }

const PREFIX = 'SANDGATE_'

/** Variables of other parts of the program: what a client goes by, and the key of the digests in a cassette. */
const RESERVED = [
  'SANDGATE_URL',
  'SANDGATE_CLIENT_ID',
  'SANDGATE_CLIENT_SECRET',
  'SANDGATE_TOKEN',
  'SANDGATE_CASSETTE_KEY',
]

/** `listen.publicUrl` is `SANDGATE_LISTEN_PUBLIC_URL`; `payments.fund` becomes `PAYMENTS_FUND`. */
export function variableName(path: Path): string {
  const words = path.map((part) =>
    String(part)
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replaceAll('.', '_'),
  )
  return PREFIX + words.join('_').toUpperCase()
}

export type Setting = { readonly path: readonly string[]; readonly schema: Schema }

/** Every setting of a schema, in its order: what is not a section. */
export function settings(schema: Schema, path: readonly string[] = []): Setting[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, child]) =>
    child.properties ? settings(child, [...path, key]) : [{ path: [...path, key], schema: child }],
  )
}

/** Whether a variable or a flag can set it. */
export function isScalar(schema: Schema): boolean {
  return schema.anyOf ? schema.anyOf.some(isScalar) : !['array', 'object', 'null'].includes(schema.type ?? '')
}

/** A variable that looks like a setting and is none. */
export type Mistake = { readonly source: string; readonly message: string }

/**
 * What Kubernetes sets in every pod beside a service called `sandgate` or `sandgate-…`. The one that ends in PORT
 * alone may bear the name of a setting; its value does not look like one.
 */
function isOfKubernetes(name: string, text: string): boolean {
  return SERVICE.test(name) || (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(text))
}

const SERVICE =
  /^SANDGATE_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/

/**
 * The settings that the environment makes; mistakes, which are variables that resemble a setting; and warnings about
 * the others. An empty variable is not set: `SANDGATE_LISTEN_PORT=` is what a compose file or a chart produces for a
 * value that nobody gave.
 */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): {
  overrides: Override[]
  mistakes: Mistake[]
  warnings: string[]
} {
  // Most environments have none, and no start need wait for the names of all settings.
  let known: ReadonlyMap<string, Setting> | undefined
  const overrides: Override[] = []
  const mistakes: Mistake[] = []
  const warnings: string[] = []
  for (const [source, text] of Object.entries(env)) {
    if (!source.startsWith(PREFIX) || RESERVED.includes(source) || text === undefined || text === '') continue
    if (isOfKubernetes(source, text)) continue
    known ??= new Map(settings(ConfigSchema).map((setting) => [variableName(setting.path), setting]))
    const setting = known.get(source)
    if (setting === undefined) {
      // Without the prefix, which all have and which would make everything alike.
      const names = [...known.keys()].map((name) => name.slice(PREFIX.length))
      const meant = didYouMean(source.slice(PREFIX.length), names).replace('mean ', `mean ${PREFIX}`)
      if (meant === '') warnings.push(`${source} is not a setting and is ignored`)
      else mistakes.push({ source, message: `is not a setting${meant}` })
    } else if (!isScalar(setting.schema)) {
      const message = `${setting.path.join('.')} is a list or a mapping, which a variable cannot set; set it in the file`
      mistakes.push({ source, message })
    } else {
      overrides.push({ source, path: setting.path, value: typed(setting.schema, text) })
    }
  }
  return { overrides, mistakes, warnings }
}

/** A flag's text, typed by the setting that it overrides. */
export function overrideFromText(source: string, path: readonly string[], text: string): Override {
  let schema: Schema = ConfigSchema
  for (const key of path) schema = schema.properties?.[key] ?? {}
  return { source, path, value: typed(schema, text) }
}

/** A text as the schema types it; what does not fit stays text, and the check says what is wrong with it. */
function typed(schema: Schema, text: string): unknown {
  const branch = schema.anyOf?.find(isScalar)
  if (branch) return typed(branch, text)
  const numeric = schema.type === 'integer' || schema.type === 'number'
  if (numeric && /^-?[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text)
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Sets `path` in a copy of `root`. What is not a mapping on the way stays, since the file is wrong there. */
export function withOverride(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (root !== undefined && root !== null && !isMapping(root)) return root
  const child = root && Object.hasOwn(root, key) ? root[key] : undefined
  return { ...root, [key]: withOverride(child, rest, value) }
}

/** The errors of variables and flags have no position. */
export function overridePlace(source: string): Pick<ConfigError, 'file' | 'line' | 'column'> {
  return { file: source, line: null, column: null }
}
