import { decodePercentOrKeep } from './percent.ts'

/** Scheme, host and port: what stands before the path of an absolute-form target, and of any URL. */
const ORIGIN = /^https?:\/\/[^/?#]+/i

export type SplitTarget = { readonly path: string; readonly query: string }

/**
 * The path and query of a request target as a server reads it. Absolute-form (RFC 9112 section 3.2.2) is served by
 * its path; the authority is never trusted for anything. Undefined for authority-form and asterisk-form.
 */
export function readTarget(target: string): SplitTarget | undefined {
  const origin = originForm(target)
  return origin.charCodeAt(0) === 0x2f ? splitTarget(origin) : undefined
}

/** An absolute-form target as origin-form; every other one as it is. */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === 0x2f) return target
  const rest = withoutOrigin(target)
  return rest === target || rest.charCodeAt(0) === 0x2f ? rest : `/${rest}`
}

/** A URL without scheme, host and port; other texts as they are. */
export function withoutOrigin(url: string): string {
  return url.charCodeAt(0) === 0x2f ? url : url.replace(ORIGIN, '')
}

/** Cuts a target at its first question mark. Neither part has the mark. */
export function splitTarget(target: string): SplitTarget {
  const mark = target.indexOf('?')
  if (mark === -1) return { path: target, query: '' }
  return { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** The segments of a path, decoded; one that cannot be decoded stands for itself. */
export function segmentsOf(path: string): readonly string[] {
  const segments = (path.startsWith('/') ? path.slice(1) : path).split('/')
  return path.includes('%') ? segments.map(decodePercentOrKeep) : segments
}
