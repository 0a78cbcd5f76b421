import { latin1 } from '../message/bytes.ts'
import { fieldRule } from '../redaction/contract.ts'
import { createSecrets } from '../redaction/secrets/secrets.ts'

const LONGEST = 120

/** A report that may go into the log of a job: what the sandbox said now is personal or secret like any reply. */
export function publicReport(report: VerifyReport): VerifyReport {
  const secrets = createSecrets()
  const masked = (at: string, text: string): string => {
    const names = at
      .split(/[ /]/)
      .slice(1)
      .filter((name) => !/^[0-9]+$/.test(name))
    const rule = fieldRule(names)
    if (rule !== undefined) return `(${rule.kind})`
    if (secrets.find(latin1(text)).length > 0) return '(secret)'
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  }
  const drifts = report.drifts.map((drift) => ({
    ...drift,
    ...(drift.live !== undefined && { live: masked(drift.at, drift.live) }),
  }))
  return { ...report, drifts }
}

export function breakingDrifts({ drifts }: VerifyReport): number {
  return drifts.filter(({ breaking }) => breaking).length
}

/** For people; one line for each drift under the line of its entry. */
export function formatReport(report: VerifyReport): string {
  const { verified, drifts, skipped } = report
  const lines: string[] = []
  let last = 0
  for (const drift of drifts) {
    if (drift.sequence !== last) lines.push(`#${drift.sequence} ${drift.title}`)
    last = drift.sequence
    lines.push(`    ${drift.breaking ? 'breaking' : 'harmless'}  ${drift.at}: ${changeOf(drift)}`)
  }
  for (const { sequence, title, reason } of skipped)
    lines.push(`#${sequence} ${title}`, `    skipped: ${reason}`)
  const counts = [
    `${verified} verified`,
    `${skipped.length} skipped`,
    `${breakingDrifts(report)} breaking`,
    `${drifts.length - breakingDrifts(report)} harmless`,
  ]
  return `${[...lines, counts.join(', ')].join('\n')}\n`
}

function changeOf({ kind, recorded, live }: Drift): string {
  switch (kind) {
    case 'added':
      return live === undefined ? 'added' : `added (${live})`
    case 'removed':
      return recorded === undefined ? 'removed' : `removed (was ${recorded})`
    default:
      return `${kind} ${recorded} -> ${live}`
  }
}

export type DriftKind = 'added' | 'removed' | 'type' | 'value' | 'status'

/** One way in which a live reply differs from the recorded one. */
export type Drift = {
  /** `status`, or a part and a pointer such as `reply-body /outcome`. */
  readonly at: string
  readonly kind: DriftKind
  /** Whether a client that was written against the recording may fail on it. */
  readonly breaking: boolean
  readonly recorded?: string
  readonly live?: string
}

export type DriftContext = {
  /** Of the cassette: URLs below it are compared without it. */
  readonly origin: string
  /** Names of fields whose values may differ, in lower case. */
  readonly volatile: ReadonlySet<string>
  /** Whether the recording itself holds several values at a place of this reply. */
  readonly varies: (pointer: string) => boolean
}

export type EntryRef = { readonly sequence: number; readonly title: string }

export type VerifyReport = {
  /** How many entries were sent and compared. */
  readonly verified: number
  readonly drifts: readonly (EntryRef & Drift)[]
  readonly skipped: readonly (EntryRef & { readonly reason: string })[]
}
