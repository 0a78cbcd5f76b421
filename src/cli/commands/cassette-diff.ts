import { type LoadedCassette, loadCassette } from '../../cassettes/file/load.ts'
import { diffCassettes, formatDiff } from '../../cassettes/tools/diff.ts'
import type { Run } from '../command.ts'
import { terminalProgress } from '../progress.ts'
import { printableLines, reportingCassettes, wrongUsage } from '../reporting.ts'

/** Compares two cassettes by what they say, as diff does with its exit code. */
export const run: Run = (invocation, io) =>
  reportingCassettes(invocation, io, () => {
    const [before, after] = invocation.args
    if (before === undefined || after === undefined)
      return wrongUsage(invocation, io, 'name two cassettes: sandgate cassette diff BEFORE AFTER')
    const progress = terminalProgress()
    const [old, young] = [before, after].map((file) =>
      loadCassette(file, (count) => progress.at(`loading ${file}: ${count} entries`)),
    ) as [LoadedCassette, LoadedCassette]
    progress.done()
    const diff = diffCassettes(old, young)
    io.out(printableLines(formatDiff(diff)))
    const same = diff.added.length + diff.removed.length + diff.changed.length === 0
    return same ? 'ok' : 'failure'
  })
