import { placeKey } from '../../cassettes/message/place.ts'
import { type LintProblem, lintCassette } from '../../cassettes/tools/lint.ts'
import { cassetteConfig, knownSecrets } from '../cassette-config.ts'
import type { Run } from '../command.ts'
import { terminalProgress } from '../progress.ts'
import { printableLines, wrongUsage } from '../reporting.ts'

/** Says what must not be committed: secrets, personal data, damage. One line for each finding. */
export const run: Run = async (invocation, io) => {
  const { args, options } = invocation
  if (args.length === 0)
    return wrongUsage(invocation, io, 'name the cassettes: sandgate cassette lint FILE...')
  const context = cassetteConfig(invocation, io)
  if (!context.ok) return context.exit
  const { config, deciding } = context
  const secrets = knownSecrets(config, io)
  let errors = 0
  let warnings = 0
  const progress = terminalProgress()
  for (const file of args) {
    const problems = lintCassette(file, {
      deciding,
      secrets,
      onEntry: (entry) => progress.at(`looking through ${file}: entry ${entry}`),
    })
    progress.done()
    for (const line of new Set(problems.map((problem) => lineOf(file, problem)))) io.out(printableLines(line))
    errors += problems.filter(({ severity }) => severity === 'error').length
    warnings += problems.filter(({ severity }) => severity === 'warning').length
  }
  io.err(`${count(args.length, 'cassette')}: ${count(errors, 'error')}, ${count(warnings, 'warning')}\n`)
  return errors > 0 || (warnings > 0 && options.strict === true) ? 'cassette' : 'ok'
}

/** `file:3:` is entry 3, as `show --entry 3` shows it; what is wrong with the file as a whole has no number. */
function lineOf(file: string, { at, severity, kind, message, place }: LintProblem): string {
  const where = at.entry === undefined ? (at.line === undefined ? '' : ` line ${at.line}:`) : ''
  const entry = at.entry === undefined ? '' : `:${at.entry}`
  // A torn binding names its place itself.
  const pointer = place === undefined || kind === 'binding' ? '' : ` at ${placeKey(place)}`
  return `${file}${entry}:${where} ${severity}: ${kind}: ${message}${pointer}\n`
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
