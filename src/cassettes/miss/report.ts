import type { MatchProfile } from '../match-profile.ts'

/** Why no recorded interaction answers a request: one structure, however it is shown. Personal values are masked. */
export type MissReport = {
  readonly request: {
    readonly method: string
    readonly target: string
    readonly operation: string
    readonly lane: string
  }
  readonly profile: MatchProfile
  /** What was tried, in order, and how many interactions were left after it. */
  readonly stages: readonly MissStage[]
  readonly closest: readonly ClosestInteraction[]
  /** To paste: the command that adds what is missing to the cassette. */
  readonly record: string
}

export type MissStage = {
  readonly stage: 'loaded' | 'lane' | 'operation' | 'key' | 'bindings' | 'order'
  readonly left: number
  /** There are more than were counted. */
  readonly atLeast?: true
}

export type ClosestInteraction = {
  readonly file: string
  /** The sequence number: entry N of the file, counted from 1. */
  readonly entry: number
  readonly method: string
  readonly target: string
  readonly operation: string
  readonly lane: string
  readonly reasons: readonly MissReason[]
}

export type MissKind =
  | 'value'
  | 'number-spelling'
  | 'missing'
  | 'extra'
  | 'type'
  | 'binding'
  | 'exhausted'
  | 'order'
  | 'lane'
  | 'profile'
  /** It was recorded without a reply. */
  | 'unanswered'

/** One thing that kept an interaction from answering, and what to do about it. */
export type MissReason = {
  readonly kind: MissKind
  /** Where: `request-body /amount`, `path /2`, `request-header x-sandbox-outcome`; empty for the whole request. */
  readonly at: string
  readonly recorded?: string
  readonly live?: string
  /** To paste: a setting, a flag, a header or a command. */
  readonly rule: string
}
