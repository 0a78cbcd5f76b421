import type { WithoutReply } from '../cassettes/without-reply.ts'

/** What a recording has brought; the cassette may hold more, from before. */
export type Recorded = {
  readonly path: string
  readonly exchanges: number
  /** Exchanges that had no reply of the upstream's, or none that is whole. */
  readonly aborted: number
  /** Each of them, and why. */
  readonly withoutReply: readonly WithoutReply[]
  readonly secrets: number
  readonly personal: number
  readonly recovered?: { readonly recovered: number; readonly dropped: number }
}
