import type { Refusal } from '../errors/refusal.ts'
import type { Fields } from '../operations/operation.ts'
import type { Awaitable } from '../store/store.ts'

/** A request for a page: everything that stands beside the interface on the partner listener. */
export type Visit = {
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body of a POST, read within bounds; empty otherwise. */
  readonly body: Buffer
  readonly requestId: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type PageAnswer =
  | {
      readonly kind: 'page'
      readonly status: number
      /** Lower-case names; content-type always. */
      readonly headers: Readonly<Record<string, string>>
      readonly body: string | Buffer
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** A page is rate limited in the group `other`, per client IP, and needs no token. */
export type Page = {
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly group: 'other'
  readonly render: (visit: Visit) => Awaitable<PageAnswer>
}

/** What a page about a session may have decided: the decision's fields, or why there is none. */
export type PageDecision =
  | { readonly kind: 'decided'; readonly decision: Fields }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
