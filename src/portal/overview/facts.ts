/** What an operator sees first: the state of one gateway at one moment. */
export type Overview = {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly version: string
  readonly isDraining: boolean
  readonly isOverloaded: boolean
  readonly inFlight: number
  readonly store: { readonly engine: string; readonly fault?: string }
  readonly configuration: {
    readonly ok: boolean
    readonly errors?: readonly string[]
    /** Settings that only the next start takes. */
    readonly needsRestart?: readonly string[]
  }
  /** `remote`: an upstream decides. `local`: the simulator does. */
  readonly decides: 'local' | 'remote'
  /** Where an upstream decides. `open`: it fails and is left alone for a moment. `half-open`: it is tried. */
  readonly upstream?: { readonly breaker: string }
  readonly recordings: readonly OverviewRecording[]
  readonly partners: readonly PartnerOverview[]
  /** When the hours begin that `partners` tells of. */
  readonly since: number
  /** Where partners find the gateway. */
  readonly publicUrl: string
}

export type OverviewRecording = {
  readonly name: string
  readonly partner: string | null
  readonly state: string
  readonly exchanges: number
  readonly fault?: string
}

export type PartnerOverview = {
  readonly id: string
  readonly name: string
  readonly requests: number
  /** Those that were answered 429. */
  readonly rateLimited: number
  /** Those that were refused otherwise. */
  readonly refused: number
  /** The cap with the least left of it; undefined without caps. */
  readonly tightest?: { readonly product: string; readonly percentUsed: number }
}
