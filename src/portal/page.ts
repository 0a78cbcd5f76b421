import type { ErrorCode } from '../errors/catalogue.ts'
import type { Refusal } from '../errors/refusal.ts'
import type { Fields, Operation } from '../operations/operation.ts'
import type { Awaitable } from '../store/store.ts'

/** Who asks for a page: what is known before anything of the body has been read. */
export type Visitor = {
  readonly params: Readonly<Record<string, string>>
  /** What follows the question mark, as it came. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly requestId: string
}

/** A request for a page: everything that stands beside the interface on the partner listener. */
export type Visit = Visitor & {
  /** The body of a POST, read within bounds; empty otherwise. */
  readonly body: Buffer
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type PageContent = {
  /** Lower-case names; content-type always. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export type PageAnswer =
  | (PageContent & {
      readonly kind: 'page'
      readonly status: number
      /** The error code that the page tells of, for the log and the metrics. */
      readonly code?: ErrorCode
    })
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** A page is rate limited in the group `other`, per client IP, and needs no token. */
export type Page = {
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly group: 'other'
  /**
   * What the gateway says of itself (its reference, keys, errors): live at replay, and never recorded. Other pages are
   * a part of what partners integrate.
   */
  readonly isDocument: boolean
  /** The operation that makes what the page is about. */
  readonly belongsTo?: Operation
  readonly render: (visit: Visit) => Awaitable<PageAnswer>
  /**
   * How a refusal reads in a browser, whoever refused; the status stays that of the code. Everybody else, and
   * every visitor of a page without it, gets the problem document.
   */
  readonly renderRefusal?: (refusal: Refusal, visitor: Visitor) => PageContent
}

/** What a page about a session may have decided: the decision's fields, or why there is none. */
export type PageDecision =
  | { readonly kind: 'decided'; readonly decision: Fields }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
