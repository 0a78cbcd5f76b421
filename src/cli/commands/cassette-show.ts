import { loadCassette } from '../../cassettes/file/load.ts'
import { showCassette } from '../../cassettes/tools/show.ts'
import type { Io, Run } from '../command.ts'
import { reportingCassettes, wrongUsage } from '../reporting.ts'

/** Prints a cassette in one line for each entry, or one entry in full. */
export const run: Run = (invocation, io) =>
  reportingCassettes(invocation, io, () => {
    const { args, options } = invocation
    const [file] = args
    if (file === undefined) return wrongUsage(invocation, io, 'name a cassette: sandgate cassette show FILE')
    const color = options.color === true || isColorful(io)
    const cassette = loadCassette(file)
    const { recovered } = cassette
    if (recovered) {
      const { recovered: lines, dropped } = recovered
      io.err(`${file} is a recording that was not finished: recovered ${lines}, dropped ${dropped}\n`)
    }
    if (options.entry === undefined) {
      io.out(showCassette(cassette, { color }))
      return 'ok'
    }
    const entry = Number(options.entry)
    if (!cassette.interactions.some(({ sequence }) => sequence === entry)) {
      const count = cassette.interactions.length
      return wrongUsage(invocation, io, `there is no entry ${String(options.entry)}; ${file} has ${count}`)
    }
    io.out(showCassette(cassette, { color, entry }))
    return 'ok'
  })

function isColorful({ env }: Io): boolean {
  return process.stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}
