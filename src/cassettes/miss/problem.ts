import type { ClosestInteraction, MissReport } from './report.ts'

/** The extension members of the 424 problem: the report as it is, and the first remedy as a sentence. */
export function missMembers(report: MissReport): Readonly<Record<string, unknown>> {
  return { cassette: { ...report, remedy: remedyOf(report) } }
}

/** The detail of the problem: what was asked for, where it stopped, and the nearest reason. */
export function missDetail(report: MissReport): string {
  const { method, operation, target } = report.request
  const stopped = report.stages.find(({ left }) => left === 0)
  const where = stopped
    ? `No interaction was left at the stage "${stopped.stage}".`
    : 'No interaction was left.'
  return `No recorded answer matches ${method} ${target} (${operation}). ${where} ${remedyOf(report)}`
}

/** What to do first. */
export function remedyOf({ closest }: MissReport): string {
  const [first] = closest
  const reason = first?.reasons[0]
  if (!first || !reason) return 'Nothing like it was recorded: record the test again.'
  const place = `${first.file} entry ${first.entry}`
  switch (reason.kind) {
    case 'binding':
      return `${place} belongs to another value than this client has used; clients that differ in made-up values alone need lanes: ${reason.rule}.`
    case 'lane':
      return `${place} was recorded in the lane ${reason.recorded}: send ${reason.rule}.`
    case 'exhausted':
      return `${place} has been served already: ask once, repeat it with its Idempotency-Key, or record again.`
    case 'order':
    case 'profile':
      return `${place} is out of order for the profile strict: keep the recorded order, or use ${reason.rule}.`
    default:
      return `${place} differs: ${sentence(first)}.`
  }
}

function sentence({ reasons }: ClosestInteraction): string {
  const shown = reasons.slice(0, 3).map(({ kind, at, recorded, live }) => {
    if (kind === 'missing') return `${at} was recorded as ${recorded} and not sent`
    if (kind === 'extra') return `${at} was sent as ${live} and not recorded`
    return `${at} was recorded as ${recorded} and sent as ${live}`
  })
  return shown.join('; ')
}
