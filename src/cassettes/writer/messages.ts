import type { HeaderLine } from '../../http/header-lines.ts'
import type { CassetteFault, CassettePlace } from '../cassette-error.ts'
import type { CassetteHeader } from '../file/header.ts'
import type { CapturedExchange } from '../interaction.ts'
import type { FieldTable } from '../redaction/stand-ins/field-rules.ts'
import type { Continuation } from '../tape/continuation.ts'
import type { WithoutReply } from '../without-reply.ts'

/** What the recorder needs to know; plain data, since it crosses into a thread. */
export type RecorderSettings = {
  /** `name.har`; the journal and the lock stand beside it. */
  readonly path: string
  /** `redaction` and `keyCheck` are filled in by the recorder. */
  readonly header: Omit<CassetteHeader, 'redaction' | 'keyCheck'> & Required<Pick<CassetteHeader, 'outcomes'>>
  readonly allowHeaders: readonly string[]
  /** Whether personal data get stand-ins. */
  readonly personal: boolean
  readonly cassetteKey?: string
  /** For the digests of refused pairs of client and secret; random, but where a recording must never change. */
  readonly salt?: string
  /** The id of the operation that grants tokens. */
  readonly tokenOperation: string
  /** Which fields hold what: the contract's table. */
  readonly fields: FieldTable
  /** Every configured secret. */
  readonly secrets: readonly string[]
  /** `append` keeps the entries of the finished cassette that is there. */
  readonly existing: 'replace' | 'append'
  /** The heap of the recorder's thread; by default what Node gives a thread. */
  readonly threadMegabytes?: number
  /** What to do with the journal of a recorder that ended without finishing. */
  readonly leftover: 'resume' | 'refuse' | 'discard'
  /** The recording is to take the place of a cassette, and another one does not go on with it. */
  readonly replaces?: boolean
  /** A recording that lacks answers does not take the place of a cassette: it is written beside it. */
  readonly onlyWhole?: boolean
}

/** Where a body stands in the bytes of its batch. */
export type BodySlice = readonly [offset: number, length: number]

export type OpenItem = Pick<CapturedExchange, 'startedAt' | 'lane' | 'operation'> & {
  readonly id: number
  readonly method: string
  readonly target: string
  readonly httpVersion: '1.0' | '1.1'
  readonly headers: readonly HeaderLine[]
  readonly body: BodySlice
}

export type EndItem = Pick<CapturedExchange, 'durationMs' | 'origin' | 'noReply'> & {
  readonly id: number
  readonly reply:
    | { readonly status: number; readonly headers: readonly HeaderLine[]; readonly body: BodySlice }
    | undefined
}

export type Item = { readonly open: OpenItem } | { readonly end: EndItem } | { readonly learn: string }

export type ToRecorder =
  /** The next recording, when the one before has ended. The first one comes with the thread. */
  | { readonly kind: 'start'; readonly settings: RecorderSettings }
  | {
      readonly kind: 'batch'
      readonly number: number
      readonly items: readonly Item[]
      readonly bytes: Uint8Array
    }
  | { readonly kind: 'mark-bad' }
  | { readonly kind: 'finish'; readonly continuations: readonly Continuation[]; readonly isPartial: boolean }
  | { readonly kind: 'close' }
  /** There will be no other recording: the thread ends. */
  | { readonly kind: 'leave' }

/** A CassetteError as it crosses between threads. */
export type SentError = {
  readonly reason: CassetteFault
  readonly path: string
  readonly detail: string
  readonly place: CassettePlace
}

export type Finished = {
  readonly path: string
  readonly interactions: number
  /** How many of them, at the beginning, are of the cassette that was there. */
  readonly kept: number
  /** Of a journal that was resumed. */
  readonly recovered?: { readonly recovered: number; readonly dropped: number }
  /** What was recorded without a reply, when there is such a thing. */
  readonly withoutReply?: readonly WithoutReply[]
}

export type FromRecorder =
  /** `setAside`: where a journal stands now that is none of this recording. */
  | { readonly kind: 'ready'; readonly nextId: number; readonly setAside?: string }
  /** The batch is on the disk (or, of a bad recording, dropped). */
  | { readonly kind: 'written'; readonly number: number }
  | { readonly kind: 'bad'; readonly error: SentError }
  | { readonly kind: 'finished'; readonly finished: Finished }
  | { readonly kind: 'failed'; readonly error: SentError }
  | { readonly kind: 'closed' }
