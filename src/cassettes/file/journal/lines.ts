import type { HeaderLine } from '../../../http/header-lines.ts'
import type { Binding, NoReply, Origin, PairDigest, Redaction } from '../../interaction.ts'
import type { StoredBody } from '../body-text.ts'
import type { CassetteHeader } from '../header.ts'

export type OpenLine = {
  /** Names the exchange within the journal. */
  readonly id: number
  readonly startedAt: number
  readonly lane: string
  readonly operation?: string
  readonly request: {
    readonly method: string
    readonly target: string
    readonly http: '1.0' | '1.1'
    readonly headers: readonly HeaderLine[]
    readonly body?: StoredBody
  }
  readonly bindings: readonly Binding[]
  readonly redactions: readonly Redaction[]
  /** When the recorder that goes on with a journal began. */
  readonly began?: number
}

export type DoneLine = {
  readonly id: number
  readonly durationMs: number
  readonly origin: Origin
  readonly reply: {
    readonly status: number
    readonly headers: readonly HeaderLine[]
    readonly body?: StoredBody
  }
  /** Headers of the request that have chosen the reply, by its `Vary`. */
  readonly asked?: readonly HeaderLine[]
  readonly bindings: readonly Binding[]
  readonly redactions: readonly Redaction[]
  readonly refusedPair?: PairDigest
}

export type AbortedLine = {
  readonly id: number
  readonly durationMs: number
  readonly origin: Origin
  readonly noReply?: NoReply
}

export type JournalEvent =
  /** `replaces`: the recording takes the place of a finished cassette and is no part of it. */
  | { readonly cassette: CassetteHeader; readonly replaces?: true }
  | { readonly open: OpenLine }
  | { readonly done: DoneLine }
  | { readonly aborted: AbortedLine }

/** Every line: its number from 0, and the hash of the line before (empty on the first). */
export type JournalLine = { readonly seq: number; readonly prev: string } & JournalEvent
