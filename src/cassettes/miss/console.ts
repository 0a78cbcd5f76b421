import { remedyOf } from './problem.ts'
import type { MissReport } from './report.ts'

export type ConsoleOptions = { readonly color?: boolean }

/** A miss for whoever reads a failed run: what was asked, where it stopped, what came closest, what to do. */
export function missText(report: MissReport, { color = false }: ConsoleOptions = {}): string {
  const paint = color
    ? (code: number, text: string) => `\u001b[${code}m${text}\u001b[0m`
    : (_: number, text: string) => text
  const { request, stages, closest, profile } = report
  const lane = request.lane === '' ? '' : `, lane ${request.lane}`
  const lines = [
    `${paint(31, 'CASSETTE MISS')} ${paint(1, `${request.method} ${request.target}`)} (${request.operation}${lane})`,
    `  ${stages.map(({ stage, left, atLeast }) => `${stage} ${left}${atLeast ? '+' : ''}`).join(' > ')}${profile === 'strict' ? ' (profile strict)' : ''}`,
  ]
  for (const { file, entry, method, target, lane: recordedLane, reasons } of closest) {
    const where = recordedLane === request.lane ? '' : `, lane ${recordedLane}`
    lines.push(`  closest: ${paint(36, `${file} entry ${entry}`)} ${method} ${target}${where}`)
    for (const { kind, at, recorded, live, rule } of reasons) {
      const values = [recorded ?? '(nothing)', live ?? '(nothing)'].join(' -> ')
      lines.push(`    ${paint(33, kind)} ${at === '' ? '' : `${at}: `}${values}`)
      lines.push(`      ${paint(2, rule)}`)
    }
  }
  lines.push(`  ${paint(32, 'do:')} ${remedyOf(report)}`)
  return `${lines.join('\n')}\n`
}
