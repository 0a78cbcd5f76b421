import { loadCassette } from '../../cassettes/file/load.ts'
import type { Interaction } from '../../cassettes/interaction.ts'
import { showCassette } from '../../cassettes/tools/show.ts'
import { showJson } from '../../cassettes/tools/show-json.ts'
import type { Invocation, Io, Run } from '../command.ts'
import { terminalProgress } from '../progress.ts'
import { printableLines, reportingCassettes, wrongUsage } from '../reporting.ts'

/** Prints a cassette in one line for each entry, or one entry in full; what is asked for, and as JSON for a program. */
export const run: Run = (invocation, io) =>
  reportingCassettes(invocation, io, () => {
    const { args, options } = invocation
    const [file] = args
    if (file === undefined) return wrongUsage(invocation, io, 'name a cassette: sandgate cassette show FILE')
    if (typeof options.status === 'string' && !/^(?:[1-5][0-9]{2}|[1-5]xx|none)$/.test(options.status))
      return wrongUsage(invocation, io, `--status takes 404, 4xx or none, not ${options.status}`)
    const progress = terminalProgress()
    const cassette = loadCassette(file, (count) => progress.at(`${file}: ${count} entries`))
    progress.done()
    const { recovered } = cassette
    if (recovered) {
      const { recovered: lines, dropped } = recovered
      io.err(`${file} is a recording that was not finished: recovered ${lines}, dropped ${dropped}\n`)
    }
    const entry = options.entry === undefined ? undefined : Number(options.entry)
    if (entry !== undefined && !cassette.interactions.some(({ sequence }) => sequence === entry)) {
      const count = cassette.interactions.length
      return wrongUsage(invocation, io, `there is no entry ${String(options.entry)}; ${file} has ${count}`)
    }
    const interactions = cassette.interactions.filter(
      (interaction) =>
        (entry === undefined || interaction.sequence === entry) && isAskedFor(interaction, options),
    )
    const color = options.color === true || isColorful(io)
    if (options.json === true) io.out(printableLines(showJson(interactions, entry !== undefined)))
    else if (entry !== undefined) io.out(showCassette(cassette, { color, entry }))
    else io.out(showCassette({ ...cassette, interactions }, { color }))
    return 'ok'
  })

function isAskedFor(interaction: Interaction, { operation, status, lane }: Invocation['options']): boolean {
  if (operation !== undefined && interaction.operation !== operation) return false
  if (lane !== undefined && interaction.lane !== lane) return false
  if (typeof status !== 'string') return true
  const found = interaction.reply?.status
  if (status === 'none' || found === undefined) return status === 'none' && found === undefined
  return status.endsWith('xx') ? String(found).startsWith(status.charAt(0)) : String(found) === status
}

function isColorful({ env }: Io): boolean {
  return process.stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}
