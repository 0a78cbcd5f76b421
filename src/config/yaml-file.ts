import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import { systemCode } from '../system-error.ts'
import { type ConfigError, configError, type Place } from './errors.ts'
import type { Path } from './paths.ts'

/** A YAML file as plain values, and where in the file each of them is. */
export type YamlFile = {
  /** What the file is called in messages: relative to the working directory where that is shorter. */
  readonly name: string
  readonly value: unknown
  /** Problems of the file itself. After one of them except a duplicate key, `value` is undefined. */
  readonly errors: readonly ConfigError[]
  /** Of its bytes; undefined of a file that could not be read. */
  readonly digest?: string
  /** The place of the value at `path`, or of its key; of the nearest thing around it when it is not there itself. */
  readonly place: (path: Path, at: 'key' | 'value') => Place
}

/** Enough for anchors that save typing, far too little to blow up ("billion laughs"). */
const MAX_ALIASES = 100

export function readYamlFile(file: string): YamlFile {
  const name = displayName(file)
  try {
    const bytes = readFileSync(file)
    return { ...parseYaml(name, bytes.toString('utf8')), digest: digestOf(bytes) }
  } catch (error) {
    return unreadable(name, readProblem(error))
  }
}

/** The digest of a file as it is now; undefined where it cannot be read. */
export function fileDigest(file: string): string | undefined {
  try {
    return digestOf(readFileSync(file))
  } catch {
    return undefined
  }
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function displayName(file: string): string {
  const path = relative('', resolve(file))
  return path === '' || path.startsWith('..') ? resolve(file) : path
}

function readProblem(error: unknown): string {
  const code = systemCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file'
  if (code === 'EISDIR') return 'is a directory, not a file'
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied'
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
}

function nowhere(name: string): Place {
  return { file: name, line: null, column: null }
}

function unreadable(name: string, message: string): YamlFile {
  return {
    name,
    value: undefined,
    errors: [configError(nowhere(name), [], message)],
    place: () => nowhere(name),
  }
}

function parseYaml(name: string, text: string): YamlFile {
  const lines = new LineCounter()
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { file: name, line, column: col }
  }
  // stringKeys: `8080:` and `"8080":` are one key. Merge keys (<<) are not part of YAML 1.2 and stay off.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const problems = [...document.errors, ...document.warnings]
  const errors = problems.map(({ code, message, pos }) =>
    configError(
      at(pos[0]),
      [],
      SYNTAX[code] ?? `is not valid YAML: ${BRACKETS.test(message) ? UNCLOSED : message}`,
    ),
  )
  const place = (path: Path, part: 'key' | 'value') => {
    const offset = offsetOf(document, path, part)
    return offset === undefined ? nowhere(name) : at(offset)
  }
  if (problems.some(({ code }) => code !== 'DUPLICATE_KEY')) return { name, value: undefined, errors, place }
  const repeated = overusedAlias(document)
  if (repeated !== undefined) {
    const message = `is not valid YAML: an alias is used more than ${MAX_ALIASES} times; write the value out`
    return { name, value: undefined, errors: [...errors, configError(at(repeated), [], message)], place }
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    return { name, value, errors, place }
  } catch (error) {
    return { name, value: undefined, errors: [...errors, aliasError(error)], place }
  }

  /** Aliases are resolved by toJS, so their problems come as exceptions. */
  function aliasError(error: unknown): ConfigError {
    const offset = unresolvedAlias(document)
    const reason = error instanceof Error ? error.message : String(error)
    return configError(offset === undefined ? nowhere(name) : at(offset), [], `is not valid YAML: ${reason}`)
  }
}

/** Counted before any is resolved: each costs a walk through the document. */
function overusedAlias(document: Document): number | undefined {
  const uses = new Map<string, number>()
  let offset: number | undefined
  visit(document, {
    Alias: (_, { source, range }) => {
      const count = (uses.get(source) ?? 0) + 1
      uses.set(source, count)
      if (count <= MAX_ALIASES) return undefined
      offset = range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}

function unresolvedAlias(document: Document): number | undefined {
  let offset: number | undefined
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return undefined
      offset = alias.range?.[0]
      return visit.BREAK
    },
  })
  return offset
}

/** Where the parser's own words do not say what to do. */
const SYNTAX: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this key is already set above; keep one of them',
  MULTIPLE_DOCS: 'a second YAML document begins here; a configuration is one document, without --- inside',
  NON_STRING_KEY: 'a key must be plain text',
  TAB_AS_INDENT: 'is not valid YAML: a tab is used as indentation; use spaces',
  TAG_RESOLVE_FAILED: 'is not valid YAML: tags such as !name are not supported',
}

const BRACKETS = /^Flow (map|sequence) in block collection/
const UNCLOSED = 'a ] or } is missing above, or the lines inside the brackets are not indented'

function offsetOf(document: Document, path: Path, part: 'key' | 'value'): number | undefined {
  let node: unknown = document.contents
  let offset = path.length === 0 ? (startOf(node) ?? 0) : undefined
  for (const [depth, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === step)
      if (pair === undefined) return offset
      const wantsKey = part === 'key' && depth === path.length - 1
      offset = (wantsKey ? undefined : startOf(pair.value)) ?? startOf(pair.key) ?? offset
      node = pair.value
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step]
      offset = startOf(node) ?? offset
    } else return offset
  }
  return offset
}

function startOf(node: unknown): number | undefined {
  // An empty value (`port:`) has a range of no length; its key is the better place to point at.
  const range = (node as Node | null | undefined)?.range
  return range && (range[1] > range[0] || isMap(node) || isSeq(node)) ? range[0] : undefined
}
