import { annotate } from '../../../src/cassettes/bindings/annotate.ts'
import { VOLATILE } from '../../../src/cassettes/bindings/contract.ts'
import {
  CASSETTE_VERSION,
  type CapturedRequest,
  type Cassette,
  type Interaction,
} from '../../../src/cassettes/interaction.ts'
import type { MissReport } from '../../../src/cassettes/miss/report.ts'
import { redactionPolicy } from '../../../src/cassettes/redaction/contract.ts'
import { createRedactor } from '../../../src/cassettes/redaction/redactor.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { createTape, type Tape, type TapeOptions } from '../../../src/cassettes/tape/tape.ts'
import { DEFAULT_OUTCOMES } from '../../../src/config/outcomes.ts'
import { LANE, ORIGIN, type Send, T0 } from './sandbox.ts'

/** What a recorder makes of exchanges: redacted, annotated, in a cassette. */
export function cassetteOf(
  interactions: readonly Interaction[],
  more: Partial<Cassette> & { redact?: boolean } = {},
): Cassette {
  const { redact = true, ...rest } = more
  const written = redact ? redacted(interactions) : interactions
  return {
    file: 'test.har',
    version: CASSETTE_VERSION,
    product: 'sandgate/test',
    t0: T0,
    origin: ORIGIN,
    profile: 'contract',
    volatile: [...VOLATILE],
    redaction: redact ? 'contract-1' : 'none',
    interactions: annotate(written, { rules: DEFAULT_OUTCOMES, volatile: VOLATILE }),
    ...rest,
  }
}

function newRedactor() {
  return createRedactor({ policy: redactionPolicy(), secrets: createSecrets(), rules: DEFAULT_OUTCOMES })
}

function redacted(interactions: readonly Interaction[]): readonly Interaction[] {
  const redactor = newRedactor()
  return interactions.map((interaction) => {
    const { startedAt, durationMs, lane, operation, origin, request, reply } = interaction
    const made = redactor.redact({
      startedAt,
      durationMs,
      partner: 'demo',
      lane,
      operation,
      origin,
      request,
      reply,
    })
    return {
      ...interaction,
      request: made.exchange.request,
      reply: made.exchange.reply,
      bindings: made.bindings,
      redactions: made.redactions,
    }
  })
}

/** The redaction that a live request goes through before it is compared. */
export function preparation(): (request: CapturedRequest) => CapturedRequest {
  const redactor = newRedactor()
  return (request) => redactor.redactRequest(request).request
}

export function tapeOf(cassettes: Cassette | readonly Cassette[], options: Partial<TapeOptions> = {}): Tape {
  const list: readonly Cassette[] = 'interactions' in cassettes ? [cassettes] : cassettes
  return createTape(list, { prepare: preparation(), ...options })
}

export class Miss extends Error {
  readonly report: MissReport
  constructor(report: MissReport) {
    super('miss')
    this.report = report
  }
}

/** The same client's way, to the tape. A miss is thrown. */
export function replaying(
  tape: Tape,
  { lane = LANE, now = T0 }: { lane?: string; now?: number | (() => number) } = {},
): Send {
  return async (request, operation) => {
    const found = tape.match({ lane, request, operation, now: typeof now === 'number' ? now : now() })
    if (found.kind === 'miss') throw new Miss(found.report)
    if (found.kind === 'refused') throw new Error('the key was used for another request')
    return found.reply
  }
}
