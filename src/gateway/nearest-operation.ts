import { closest } from '../config/suggest.ts'
import { ROWS } from '../operations/operations.ts'

/** Longer than the path of any operation, and short enough to be compared with all of them. */
const MAX_LENGTH = 100

type Known = { readonly method: string; readonly path: string; readonly segments: readonly string[] }

const KNOWN: readonly Known[] = ROWS.map(({ method, path }) => ({ method, path, segments: segmentsOf(path) }))

/**
 * The operation that a path without one was most likely meant for, such as `POST /v1/payments/fund`: by the whole
 * path, else by its last word (`/v1/fund`). Undefined when nothing comes near. Of two, the one that takes the method.
 */
export function nearestOperation(method: string, path: string): string | undefined {
  if (path.length > MAX_LENGTH) return undefined
  const segments = segmentsOf(path)
  const known = [
    ...KNOWN.filter((each) => each.method === method),
    ...KNOWN.filter((each) => each.method !== method),
  ]
  return byPath(path, segments, known) ?? byWord(segments.at(-1), known)
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

function byWord(word: string | undefined, known: readonly Known[]): string | undefined {
  if (word === undefined) return undefined
  const words = new Map<string, Known>()
  // The last word of an operation says more than the ones before it.
  for (const depth of [-1, -2]) {
    for (const each of known) {
      const segment = each.segments.filter((one) => !isParameter(one)).at(depth)
      if (segment !== undefined && segment !== 'v1' && !words.has(segment)) words.set(segment, each)
    }
  }
  return nameOf(words.get(closest(word, words.keys()) ?? ''))
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
