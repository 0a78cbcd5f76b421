import type { ErrorCode } from '../errors/catalogue.ts'
import type { Refusal } from '../errors/refusal.ts'
import type { Fields, Operation, UsageWindow } from '../operations/operation.ts'
import type { Awaitable } from '../store/store.ts'
import type { ProvenKey } from '../tokens/registry.ts'
import type { Session } from './sign-in/sessions.ts'

/** Who asks for a page: what is known before anything of the body has been read. */
export type Visitor = {
  readonly params: Readonly<Record<string, string>>
  /** What follows the question mark, as it came. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly requestId: string
  /** Whose token or session came along. */
  readonly viewer: Viewer | undefined
}

/** A partner whose usage is looked at. */
export type Viewer = Pick<ProvenKey, 'partner' | 'keyId'> & {
  /** Where a cookie showed who it is. */
  readonly session?: Session
}

/** A request for a page: everything that stands beside the interface on the partner listener. */
export type Visit = Visitor & {
  /** The body of a POST, read within bounds; empty otherwise. */
  readonly body: Buffer
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The windows that the viewer's requests are counted against. */
  readonly windows: () => readonly UsageWindow[]
  /**
   * Counts wrong credentials where the token exchange counts its own, under the name that they came with. A refusal
   * when there were too many.
   */
  readonly countFailure: (name: string) => Promise<Refusal | undefined>
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

/**
 * A page is rate limited in the group `other`, per client IP, and needs no token. One at the path of an operation is
 * what a browser gets there: the same facts, to look at.
 */
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
  /** Whoever has signed in is known to it by a cookie, which opens nothing else. */
  readonly takesSession?: true
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
