import { decodePercent } from './percent.ts'

/** Path and query of a target, without an origin and without the prefix that only names a lane. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const isPlain = target.startsWith('/') && !target.startsWith('/_lane/')
  const rest = isPlain
    ? target
    : target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^\/_lane\/[^/?]+(?=\/|\?|$)/, '')
  const mark = rest.indexOf('?')
  return mark === -1 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) }
}

export function segmentsOf(path: string): readonly string[] {
  const segments = (path.startsWith('/') ? path.slice(1) : path).split('/')
  return path.includes('%') ? segments.map(decodePercent) : segments
}
