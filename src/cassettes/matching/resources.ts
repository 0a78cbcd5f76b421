import { rowOf } from '../../operations/operations.ts'
import type { Interaction } from '../interaction.ts'
import { isTokenExchange } from './edge-answers.ts'

export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether an interaction may have changed something: refusals have not, and a token is one of many. */
export function isUnsafe({ interaction, refusal }: Pick<Acting, 'interaction' | 'refusal'>): boolean {
  if (refusal || isSafe(interaction.request.method) || interaction.origin.startsWith('edge:')) return false
  return !isTokenExchange(interaction)
}

/** A usage view follows from everything that was done. */
const EVERYTHING = '*'

/** What a request that begins anew changes, and everything else of its client depends on. No path has this family. */
const RESET = '!'

/** What a path is about: its first segment, after that of the version. */
export function familyOf([first = '', second = '']: readonly string[]): string {
  return /^v[0-9]+$/.test(first) ? second : first
}

type Acting = {
  readonly interaction: Interaction
  /** The sandbox has refused the request for what it was. */
  readonly refusal: boolean
  readonly family: string
  readonly layout: { readonly path: { readonly size: number }; readonly query: { readonly size: number } }
}

type Resources = { readonly dependsOn: readonly string[]; readonly changes: readonly string[] }

/**
 * The resources that an entry depends on and those that it may change. A read without a value of its own (a list)
 * shows the whole family of its path.
 */
export function resourcesOf(entry: Acting): Resources {
  const { interaction, family, layout } = entry
  const row = rowOf(interaction.operation)
  const mayChange = isUnsafe(entry)
  if (row?.changes === 'everything' && mayChange)
    return { dependsOn: [EVERYTHING], changes: [family, EVERYTHING, RESET] }
  if (mayChange) return { dependsOn: [family, RESET], changes: [family, EVERYTHING] }
  if (row?.shows === 'usage') return { dependsOn: [EVERYTHING], changes: [] }
  const isList = isSafe(interaction.request.method) && layout.path.size === 0 && layout.query.size === 0
  return { dependsOn: isList ? [family, RESET] : [RESET], changes: [] }
}
