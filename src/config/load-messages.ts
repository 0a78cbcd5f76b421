import type { LoadResult } from './load.ts'
import type { Partner } from './partners.ts'

/** So few that copying them and comparing them takes a millisecond. */
export const PIECE = 50

/** What the loading thread says: the result without its partners, then these, each when it is asked for the next. */
export type FromThread =
  | { readonly kind: 'result'; readonly result: LoadResult }
  | { readonly kind: 'partners'; readonly partners: readonly Partner[] }
  | { readonly kind: 'end' }
