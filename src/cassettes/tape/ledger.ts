import { splitTarget } from '../../http/target.ts'

/** What became of a replay. */
export type Ledger = {
  readonly loaded: number
  /** Answers from the tape, each of an interaction that had not been used. */
  readonly served: number
  /** Recorded interactions whose answer the gateway gave by itself, as recorded: tokens, refusals. */
  readonly live: number
  /** Answers given again: a read that stays on its last answer, a repeated Idempotency-Key. */
  readonly repeated: number
  readonly unused: readonly UnusedInteraction[]
  /** Reads that were answered with what was true before something that this run had done already. */
  readonly late: readonly UnusedInteraction[]
  readonly missed: number
  /** Refusals that the gateway gave by itself and no recorded one stands beside. */
  readonly refused: readonly LiveRefusal[]
  /** Recorded answers that were served, and that this version would not have given. */
  readonly overruled: readonly Overruled[]
  /** Requests that were passed on to an upstream. */
  readonly forwarded: number
}

export type LiveRefusal = {
  readonly code: string
  readonly method: string
  /** The operation, else the path. */
  readonly operation: string
  readonly lane: string
  readonly times: number
}

export type Overruled = UnusedInteraction & {
  /** With what this version would refuse what the recording accepted; undefined: it accepts what was refused. */
  readonly code: string | undefined
}

export type UnusedInteraction = {
  readonly file: string
  readonly sequence: number
  readonly method: string
  /** The operation, else the path. */
  readonly operation: string
  readonly lane: string
}

export type ExitOptions = {
  readonly failUnused?: boolean
  /** Under CI nothing may leave the machine. */
  readonly ci?: boolean
}

/** 0 when the tests may trust the replay, else 1. */
export function exitCode(ledger: Ledger, options: ExitOptions = {}): 0 | 1 {
  return reasonsToFail(ledger, options).length === 0 ? 0 : 1
}

/** Why a replay has failed, in words; empty when it has not. */
function reasonsToFail(
  ledger: Ledger,
  { failUnused = false, ci = false }: ExitOptions = {},
): readonly string[] {
  const reasons: string[] = []
  if (ledger.served + ledger.live + ledger.forwarded === 0)
    reasons.push('nothing was served: no request reached the cassette')
  if (ledger.missed > 0)
    reasons.push(`${ledger.missed} ${ledger.missed === 1 ? 'request' : 'requests'} missed`)
  if (ci && ledger.forwarded > 0) reasons.push(`${ledger.forwarded} forwarded under CI`)
  if (failUnused && ledger.unused.length > 0) reasons.push(`${ledger.unused.length} unused (--fail-unused)`)
  return reasons
}

const SHOWN = 20

/** The end of a replay on a console. */
export function ledgerText(ledger: Ledger, options: ExitOptions = {}): string {
  const { loaded, served, live, repeated, unused, late, missed, forwarded } = ledger
  const lines = [
    `cassette: loaded ${loaded}, served ${served}, live ${live}, repeated ${repeated}, unused ${unused.length}, missed ${missed}, forwarded ${forwarded}`,
  ]
  const { refused, overruled } = ledger
  const some = (all: readonly string[]) => {
    lines.push(...all.slice(0, SHOWN).map((line) => `  ${line}`))
    if (all.length > SHOWN) lines.push(`  and ${all.length - SHOWN} more`)
  }
  some(late.map((each) => `answered late: ${placeOf(each)}`))
  some(unused.map((each) => `unused: ${placeOf(each)}`))
  some(
    overruled.map((each) => {
      const { code } = each
      const what = code === undefined ? 'this version accepts it' : `this version would refuse it: ${code}`
      return `${what}: ${placeOf(each)}`
    }),
  )
  some(
    refused.map(({ code, method, operation, lane, times }) => {
      const often = times === 1 ? '' : ` (${times} times)`
      return `refused, not recorded: ${code}, ${method} ${operation}${inLane(lane)}${often}`
    }),
  )
  for (const reason of reasonsToFail(ledger, options)) lines.push(`  failed: ${reason}`)
  return `${lines.join('\n')}\n`
}

/** The same for a program: the ledger, every miss as it is reported, and why the replay has failed, if it has. */
export function ledgerJson(ledger: Ledger, misses: readonly unknown[], options: ExitOptions = {}): string {
  return `${JSON.stringify({ ...ledger, misses, failed: reasonsToFail(ledger, options) }, null, 2)}\n`
}

function placeOf({ file, sequence, method, operation, lane }: UnusedInteraction): string {
  return `${file} entry ${sequence}, ${method} ${operation}${inLane(lane)}`
}

function inLane(lane: string): string {
  return lane === '' ? '' : `, lane ${lane}`
}

export function unusedInteraction(
  file: string,
  interaction: {
    readonly sequence: number
    readonly operation: string | undefined
    readonly lane: string
    readonly request: { readonly method: string; readonly target: string }
  },
): UnusedInteraction {
  const { sequence, operation, lane, request } = interaction
  const { path } = splitTarget(request.target)
  return { file, sequence, lane, method: request.method, operation: operation ?? path }
}
