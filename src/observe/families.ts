import { DATA_KINDS } from '../store/store.ts'

/**
 * Every metric of the gateway, declared once: the exposition, the reference and the checks of the dashboards are made
 * from this table. Labels hold names of the configuration, the operations and the error catalogue alone, so that
 * their number is bounded whatever is sent.
 *
 * `from` says where the values come from: `counted` as things happen, `read` when somebody asks, `partner` both, for
 * each partner that has been met.
 */
export type Family = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly from: 'counted' | 'read' | 'partner'
  /** A sentence; with its unit, where the name has none. */
  readonly help: string
  readonly labels: readonly string[]
  /** The values of its one label that are there from the start, at 0. */
  readonly starts?: readonly string[]
  /** Upper bounds of a histogram, in the unit of its name. */
  readonly buckets?: readonly number[]
}

/** Half a millisecond to ten seconds: a read takes a fraction of the first, an upstream may take all of them. */
const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const FAMILIES = {
  sandgate_requests_total: {
    type: 'counter',
    from: 'counted',
    help: 'Answered requests of the partner listener. The code is none unless the answer is a refusal, and the operation is none where no endpoint has the path.',
    labels: ['operation', 'status', 'code'],
  },
  sandgate_gateway_duration_seconds: {
    type: 'histogram',
    from: 'counted',
    help: 'Time from the arrival of a request to its answer, without the time that its client took to send the body and that its decision took.',
    labels: ['operation'],
    buckets: DURATIONS,
  },
  sandgate_decision_duration_seconds: {
    type: 'histogram',
    from: 'counted',
    help: 'Time that the simulator or the upstream took to decide.',
    labels: ['operation'],
    buckets: DURATIONS,
  },
  sandgate_decisions_total: {
    type: 'counter',
    from: 'counted',
    help: 'Decisions that were made, by the rule that made them (default, requested, upstream, or the id of an outcome rule). A replayed answer is none.',
    labels: ['operation', 'outcome', 'rule'],
  },
  sandgate_idempotency_total: {
    type: 'counter',
    from: 'counted',
    help: 'Requests with an Idempotency-Key, by what the key was: new, replayed (its answer is stored), in_progress, mismatch (used for another request) or unknown (an earlier attempt may have acted).',
    labels: ['outcome'],
    starts: ['new', 'replayed', 'in_progress', 'mismatch', 'unknown'],
  },
  sandgate_token_exchanges_total: {
    type: 'counter',
    from: 'counted',
    help: 'Token exchanges, by the code of the refusal; none for those that were granted.',
    labels: ['code'],
    starts: ['none', 'INVALID_CLIENT', 'INVALID_REQUEST', 'INVALID_SCOPE', 'RATE_LIMITED'],
  },
  sandgate_double_executions_total: {
    type: 'counter',
    from: 'counted',
    help: 'Invariant, always 0: settlements of a remote effect that had lost their key to a later attempt after their decider had acted.',
    labels: [],
  },
  sandgate_cap_overshoots_total: {
    type: 'counter',
    from: 'read',
    help: 'Invariant, always 0: times that the used part of a cap was above every limit that was in force when something was admitted.',
    labels: [],
  },

  sandgate_quota_refusals_total: {
    type: 'counter',
    from: 'counted',
    help: 'Requests that were refused with STORAGE_QUOTA_EXCEEDED, by what their partner holds too much of.',
    labels: ['kind'],
    starts: DATA_KINDS,
  },

  sandgate_partner_answers_total: {
    type: 'counter',
    from: 'partner',
    help: 'Answers to the partner, by class of status.',
    labels: ['partner', 'status'],
  },
  sandgate_partner_rate_limited_total: {
    type: 'counter',
    from: 'partner',
    help: 'Requests of the partner that were answered 429, by rate-limit group.',
    labels: ['partner', 'group'],
  },
  sandgate_partner_decisions_total: {
    type: 'counter',
    from: 'partner',
    help: 'Decisions for the partner. A replayed answer is none.',
    labels: ['partner', 'outcome'],
  },
  sandgate_partner_cap_refusals_total: {
    type: 'counter',
    from: 'partner',
    help: 'Requests of the partner that were refused with PARTNER_LIMIT_EXCEEDED.',
    labels: ['partner', 'product'],
  },
  sandgate_partner_quota_used_ratio: {
    type: 'gauge',
    from: 'partner',
    help: 'How much of what the sandbox keeps for the partner at most it holds: 1 is full. keys are the bytes of finished answers.',
    labels: ['partner', 'kind'],
  },
  ...capFamilies('calls', 'Decisions'),
  ...capFamilies('xof', 'XOF'),

  sandgate_requests_in_flight: {
    type: 'gauge',
    from: 'read',
    help: 'Requests that have arrived whole and are not answered yet.',
    labels: [],
  },
  sandgate_requests_in_flight_limit: {
    type: 'gauge',
    from: 'read',
    help: 'Requests in flight beyond which new ones are refused (server.maxInFlight).',
    labels: [],
  },
  sandgate_requests_unfinished: {
    type: 'gauge',
    from: 'read',
    help: 'Requests whose bodies are being waited for.',
    labels: [],
  },
  sandgate_overloaded: {
    type: 'gauge',
    from: 'read',
    help: '1 while new requests are refused with OVERLOADED, else 0.',
    labels: [],
  },
  sandgate_connections: {
    type: 'gauge',
    from: 'read',
    help: 'Open connections of the partner listener.',
    labels: [],
  },
  sandgate_connections_refused_total: {
    type: 'counter',
    from: 'read',
    help: 'Connections that were closed at once because there were as many as there may be.',
    labels: [],
  },

  sandgate_store_writable: {
    type: 'gauge',
    from: 'read',
    help: '1 while the store takes writes, else 0.',
    labels: [],
  },
  sandgate_store_commit_duration_seconds: {
    type: 'histogram',
    from: 'counted',
    help: 'Time that a commit took to be durable. Many requests share one.',
    labels: [],
    buckets: DURATIONS,
  },
  sandgate_store_errors_total: {
    type: 'counter',
    from: 'read',
    help: 'Commits that failed; nothing of them was written.',
    labels: [],
  },
  sandgate_store_waiting: {
    type: 'gauge',
    from: 'read',
    help: 'Changes that wait for the next commit.',
    labels: [],
  },
  sandgate_store_bytes: {
    type: 'gauge',
    from: 'read',
    help: 'Size of the data file.',
    labels: [],
  },
  sandgate_store_free_bytes: {
    type: 'gauge',
    from: 'read',
    help: 'Free space on the disk of the data directory.',
    labels: [],
  },
  sandgate_store_reusable_bytes: {
    type: 'gauge',
    from: 'read',
    help: 'Bytes of the data file that nothing uses, and that are written again before the file grows.',
    labels: [],
  },
  sandgate_store_sweep_backlog_seconds: {
    type: 'gauge',
    from: 'read',
    help: 'How long ago the oldest entry expired that has not been deleted; 0 when nothing waits.',
    labels: [],
  },

  sandgate_upstream_requests_total: {
    type: 'counter',
    from: 'counted',
    help: 'Requests to the upstream: answered, not_sent (nothing left the gateway), failed (sent, and no usable answer) or timed_out.',
    labels: ['outcome'],
    starts: ['answered', 'not_sent', 'failed', 'timed_out'],
  },
  sandgate_upstream_breaker_open: {
    type: 'gauge',
    from: 'read',
    help: '1 while the circuit breaker lets nothing through to the upstream, else 0.',
    labels: [],
  },
  sandgate_upstream_breaker_opened_total: {
    type: 'counter',
    from: 'read',
    help: 'Times that the circuit breaker opened.',
    labels: [],
  },

  sandgate_upstream_credentials_refused_total: {
    type: 'counter',
    from: 'counted',
    help: 'Answers of the upstream that refuse the credentials of the gateway.',
    labels: [],
  },

  sandgate_recordings: {
    type: 'gauge',
    from: 'read',
    help: 'Recordings that are under way.',
    labels: [],
  },
  sandgate_recordings_bad: {
    type: 'gauge',
    from: 'read',
    help: 'Recordings under way that have lost something; each is incomplete.',
    labels: [],
  },
  sandgate_recorded_exchanges_total: {
    type: 'counter',
    from: 'read',
    help: 'Exchanges that were written to a cassette, once for each.',
    labels: [],
  },
  sandgate_recording_dropped_exchanges_total: {
    type: 'counter',
    from: 'read',
    help: 'Exchanges that a recording which had gone bad did not take.',
    labels: [],
  },

  sandgate_signing_key_age_seconds: {
    type: 'gauge',
    from: 'read',
    help: 'Age of the key that signs access tokens.',
    labels: [],
  },
  sandgate_configuration_good: {
    type: 'gauge',
    from: 'read',
    help: '1 while the files on disk are valid, else 0; the gateway then goes on with what it read before.',
    labels: [],
  },
  sandgate_configuration_generation: {
    type: 'gauge',
    from: 'read',
    help: 'How many configurations have been taken into use since the start; 1 is the first.',
    labels: [],
  },
  sandgate_configuration_reload_failures_total: {
    type: 'counter',
    from: 'read',
    help: 'Reloads that were refused because of mistakes in the files.',
    labels: [],
  },
  sandgate_configuration_reload_duration_seconds: {
    type: 'gauge',
    from: 'read',
    help: 'How long the last reload took, most of it in a thread of its own; 0 before the first.',
    labels: [],
  },
  sandgate_configuration_needs_restart: {
    type: 'gauge',
    from: 'read',
    help: 'Settings that the files have changed and that count only after a restart.',
    labels: [],
  },
  sandgate_build_info: {
    type: 'gauge',
    from: 'counted',
    help: 'Always 1; the version of the gateway and of Node.js.',
    labels: ['version', 'node'],
  },
} as const satisfies Record<`sandgate_${string}`, Family>

/** Calls and XOF are two families each: their sum would mean nothing. */
function capFamilies<U extends 'calls' | 'xof'>(unit: U, what: string) {
  const family = (help: string) =>
    ({ type: 'gauge', from: 'partner', help, labels: ['partner', 'product'] }) as const
  const which = 'Of several caps of a product in this unit it is that of the one with the least left.'
  return {
    [`sandgate_partner_cap_used_${unit}`]: family(
      `${what} that count against the cap in its period. ${which}`,
    ),
    [`sandgate_partner_cap_reserved_${unit}`]: family(
      `${what} that requests hold which are being decided. ${which}`,
    ),
    [`sandgate_partner_cap_limit_${unit}`]: family(`${what} that the cap allows in its period. ${which}`),
  } as Record<`sandgate_partner_cap_${'used' | 'reserved' | 'limit'}_${U}`, ReturnType<typeof family>>
}

export type FamilyName = keyof typeof FAMILIES

type NamesOf<From extends Family['from'], Kind extends Family['type']> = {
  [N in FamilyName]: (typeof FAMILIES)[N] extends { from: From; type: Kind } ? N : never
}[FamilyName]

export type CounterName = NamesOf<'counted', 'counter' | 'gauge'>
export type HistogramName = NamesOf<'counted', 'histogram'>
export type ReadName = NamesOf<'read', 'counter' | 'gauge'>

/** The labels of a family, each with a value. */
export type LabelsOf<N extends FamilyName> = Readonly<Record<(typeof FAMILIES)[N]['labels'][number], string>>
