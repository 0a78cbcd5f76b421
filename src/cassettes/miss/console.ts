import { deedOf, placeWords } from './problem.ts'
import type { MissReport } from './report.ts'

export type ConsoleOptions = { readonly color?: boolean }

/** A miss for whoever reads a failed run: what was asked, what to do, what came closest, and the counts last. */
export function missText(report: MissReport, { color = false }: ConsoleOptions = {}): string {
  const paint = color
    ? (code: number, text: string) => `\u001b[${code}m${text}\u001b[0m`
    : (_: number, text: string) => text
  const { request, closest } = report
  const lane = request.lane === '' ? '' : `, lane ${request.lane}`
  const { say, paste } = deedOf(report)
  const lines = [
    `${paint(31, 'CASSETTE MISS')} ${paint(1, `${request.method} ${request.target}`)} (${request.operation}${lane})`,
    `  ${paint(32, 'do:')} ${say}`,
    `    ${paint(1, paste)}`,
  ]
  for (const { file, entry, method, target, lane: recordedLane, reasons } of closest) {
    const where = recordedLane === request.lane ? '' : `, lane ${recordedLane}`
    lines.push(`  closest: ${paint(36, `${file} entry ${entry}`)}, ${method} ${target}${where}`)
    for (const { kind, at, recorded, live, rule } of reasons) {
      const what = at === '' ? kind : placeWords(at)
      lines.push(
        `    ${paint(33, what)}, recorded → sent: ${recorded ?? '(nothing)'} → ${live ?? '(nothing)'}`,
      )
      if (rule !== paste) lines.push(`      ${paint(2, rule)}`)
    }
  }
  lines.push(`  ${paint(2, countsOf(report))}`)
  return `${lines.join('\n')}\n`
}

const STAGES = {
  loaded: 'recorded',
  lane: 'of this client',
  operation: 'of this operation',
  key: 'that ask the same',
  bindings: 'for these values',
  order: 'left',
} as const

function countsOf({ stages, profile }: MissReport): string {
  const counted = stages.map(({ stage, left, atLeast }) => `${left}${atLeast ? '+' : ''} ${STAGES[stage]}`)
  return `looked at: ${counted.join(', ')}${profile === 'strict' ? ' (profile strict)' : ''}`
}
