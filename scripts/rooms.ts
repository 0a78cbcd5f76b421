import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/**
 * The rooms of the code: its folders on their floors, from the top to the bottom. A folder imports from its own floor
 * and the ones below, never from above. test/architecture.test.ts holds it, and the picture in docs/architecture.md
 * is drawn from it.
 */
export type Floor = Readonly<Record<string, string>>

export const LAYERS: readonly Floor[] = [
  { cli: 'the command line', 'sandgate.ts': 'the package for test files' },
  { start: 'puts a gateway together' },
  { gateway: 'the path of a request', recorder: 'a proxy that records' },
  { checks: 'one check, one file', decisions: 'who decides', portal: 'pages' },
  { cassettes: 'record, match, explain' },
  { operations: 'one file per operation', observe: 'metrics and log', backup: 'copies of the data' },
  {
    tokens: 'issue and verify',
    store: 'windows, keys, caps',
    simulator: 'outcome rules',
    upstream: 'one HTTP client',
  },
  { config: 'YAML to Config', errors: 'every code' },
  {
    http: 'facts of HTTP',
    'clock.ts': 'time',
    'product.ts': 'its version',
    'create-files.ts': 'over nothing',
    'file-lock.ts': 'one at a time',
    'make-directory.ts': 'and those above',
    'growing-cache.ts': 'what was used last',
    'map-entries.ts': 'lists in maps',
    'once.ts': 'and never again',
    'partition-point.ts': 'binary search',
    'program-thread.ts': 'beside the loop',
    'replace-file.ts': 'all or nothing',
    'system-error.ts': 'errno',
    'terminal.ts': 'safe to show',
    'user-cache.ts': 'made anew',
    'work-queue.ts': 'one after the other',
    'compiled-code.ts': 'for a start',
  },
]

export const ROOMS: readonly Floor[] = [
  { writer: 'records, off the event loop' },
  { tools: 'show, lint, diff, import' },
  { tape: 'one run that replays' },
  { verify: 'against a live sandbox', miss: 'why nothing answers' },
  { merging: 'several into one' },
  { file: 'journal and HAR' },
  { matching: 'which entry is meant' },
  { redaction: 'what may be written' },
  { bindings: 'whose value it is' },
  { message: 'one message read' },
  {
    'interaction.ts': 'the vocabulary',
    'no-reply.ts': 'why there is no answer',
    'without-reply.ts': 'and whose',
    'match-profile.ts': 'how strict',
    'cassette-error.ts': 'what goes wrong',
  },
]

export type Import = {
  readonly file: string
  readonly from: string
  readonly names: string
  readonly typeOnly: boolean
}

export type House = {
  /** The text of each file, by its path below src. */
  readonly sources: ReadonlyMap<string, string>
  readonly imports: readonly Import[]
  /** The imports that lead to a file of ours. */
  readonly inside: readonly (Import & { readonly target: string })[]
}

/** Reads src as it stands. */
export function readHouse(): House {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const sources = new Map(files.sort().map((file) => [file, readFileSync(join('src', file), 'utf8')]))
  const imports = [...sources].flatMap(([file, source]) => importsOf(file, source))
  const inside = imports
    .filter(({ from }) => from.startsWith('.'))
    .map((each) => ({ ...each, target: normalize(join(dirname(each.file), each.from)) }))
  return { sources, imports, inside }
}

function importsOf(file: string, source: string): Import[] {
  const statements = source.matchAll(/^(?:import|export)\s+(type\s)?([^'";]*?)\sfrom\s+'([^']+)'/gm)
  const others = source.matchAll(/(?:\bimport\(|^import\s+|\brequire\()['"]([^'"]+)['"]/gm)
  return [
    ...[...statements].map(([, type, names = '', from = '']) => ({
      file,
      from,
      names,
      typeOnly: type !== undefined || isAllTypes(names),
    })),
    ...[...others].map(([, from = '']) => ({ file, from, names: '*', typeOnly: false })),
  ]
}

function isAllTypes(names: string): boolean {
  const listed = /^\{([^}]*)\}$/s.exec(names.trim())?.[1]
  return listed?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type ')) ?? false
}

export function folderOf(file: string): string {
  return file.split('/')[0] ?? file
}

/** The room of a file of `cassettes`. */
export function roomOf(file: string): string {
  return file.split('/')[1] ?? file
}

/** Who imports whom, types included, between what `nameOf` names; a name without a room of its own is left out. */
export function graph(
  { inside }: House,
  nameOf: (file: string) => string | undefined,
): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>()
  for (const { file, target } of inside) {
    const [from, to] = [nameOf(file), nameOf(target)]
    if (from === undefined || to === undefined || (from === to && file !== target)) continue
    edges.set(from, (edges.get(from) ?? new Set()).add(to))
  }
  return edges
}

/** Whether `edges` lead from one name to the other in one step or more. */
export function reaches(
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  from: string,
  to: string,
  seen = new Set<string>(),
): boolean {
  return [...(edges.get(from) ?? [])].some((next) => {
    if (next === to) return true
    if (seen.has(next)) return false
    return reaches(edges, next, to, seen.add(next))
  })
}
