import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { HeaderLine } from '../../../http/header-lines.ts'
import type { Binding, Cassette, MatchProfile, Origin, Redaction } from '../../interaction.ts'
import { bufferOf } from '../../message/bytes.ts'

/** The first line of a journal, and what stands about the whole in a HAR. */
export type CassetteHeader = Omit<Cassette, 'interactions' | 'file'>

/** Bytes as JSON can hold them: text when UTF-8 gives the same bytes back, else base64. */
export type StoredBody = { readonly text: string } | { readonly base64: string }

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
  readonly bindings: readonly Binding[]
  readonly redactions: readonly Redaction[]
}

export type AbortedLine = { readonly id: number; readonly durationMs: number; readonly origin: Origin }

export type JournalEvent =
  | { readonly cassette: CassetteHeader }
  | { readonly open: OpenLine }
  | { readonly done: DoneLine }
  | { readonly aborted: AbortedLine }

/** Every line: its number from 0, and the hash of the line before (empty on the first). */
export type JournalLine = { readonly seq: number; readonly prev: string } & JournalEvent

/** 128 bits: enough that no damage goes unseen, short enough to read past. */
export function lineHash(line: string | Uint8Array): string {
  return createHash('sha256').update(line).digest('hex').slice(0, 32)
}

export function storeBody(body: Uint8Array): StoredBody | undefined {
  if (body.length === 0) return undefined
  const bytes = bufferOf(body)
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') }
}

export function readStored(body: StoredBody | undefined): Uint8Array {
  if (body === undefined) return new Uint8Array(0)
  return 'text' in body ? Buffer.from(body.text, 'utf8') : Buffer.from(body.base64, 'base64')
}

export function isProfile(value: unknown): value is MatchProfile {
  return value === 'contract' || value === 'strict'
}
