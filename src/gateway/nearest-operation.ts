import { closest } from '../config/suggest.ts'
import { getOrMake } from '../map-entries.ts'
import { ROWS } from '../operations/operations.ts'

/** Longer than the path of any operation, and short enough to be compared with all of them. */
const MAX_LENGTH = 100

type Known = { readonly method: string; readonly path: string; readonly segments: readonly string[] }

/** What a request with one method may have been meant for: what takes the method first. */
type Candidates = {
  readonly known: readonly Known[]
  /** By their last words. */
  readonly words: ReadonlyMap<string, Known>
}

const KNOWN: readonly Known[] = ROWS.map(({ method, path }) => ({ method, path, segments: segmentsOf(path) }))

/**
 * The operation that a path without one was most likely meant for, such as `POST /v1/payments/fund`: by the whole
 * path, else by its last word (`/v1/fund`). Undefined when nothing comes near. Of two, the one that takes the method.
 */
export function nearestOperation(method: string, path: string): string | undefined {
  if (path.length > MAX_LENGTH) return undefined
  const segments = segmentsOf(path)
  const { known, words } = candidatesOf(method)
  return byPath(path, segments, known) ?? byWord(segments.at(-1), words)
}

const candidates = new Map<string, Candidates>()

/** Made when they are first asked for; any method that no operation takes has the same ones. */
function candidatesOf(method: string): Candidates {
  const taken = KNOWN.some((each) => each.method === method) ? method : ''
  return getOrMake(candidates, taken, () => {
    const known = [
      ...KNOWN.filter((each) => each.method === taken),
      ...KNOWN.filter((each) => each.method !== taken),
    ]
    return { known, words: wordsOf(known) }
  })
}

function byPath(path: string, segments: readonly string[], known: readonly Known[]): string | undefined {
  // An identifier is not compared: it stands in the place of the parameter.
  const filled = new Map<string, Known>()
  for (const each of known) {
    const spelled = `/${each.segments.map((segment, i) => (isParameter(segment) ? (segments[i] ?? segment) : segment)).join('/')}`
    if (!filled.has(spelled)) filled.set(spelled, each)
  }
  return nameOf(filled.get(closest(path, filled.keys()) ?? ''))
}

function byWord(word: string | undefined, words: ReadonlyMap<string, Known>): string | undefined {
  return word === undefined ? undefined : nameOf(words.get(closest(word, words.keys()) ?? ''))
}

function wordsOf(known: readonly Known[]): ReadonlyMap<string, Known> {
  const words = new Map<string, Known>()
  // The last word of an operation says more than the ones before it.
  for (const depth of [-1, -2]) {
    for (const each of known) {
      const segment = each.segments.filter((one) => !isParameter(one)).at(depth)
      if (segment !== undefined && segment !== 'v1' && !words.has(segment)) words.set(segment, each)
    }
  }
  return words
}

function nameOf(known: Known | undefined): string | undefined {
  return known && `${known.method} ${known.path}`
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '')
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{')
}
