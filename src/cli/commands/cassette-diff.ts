import { loadCassette } from '../../cassettes/file/load.ts'
import { diffCassettes, formatDiff } from '../../cassettes/tools/diff.ts'
import type { Run } from '../command.ts'
import { printableLines, reportingCassettes, wrongUsage } from '../reporting.ts'

/** Compares two cassettes by what they say, as diff does with its exit code. */
export const run: Run = (invocation, io) =>
  reportingCassettes(invocation, io, () => {
    const [before, after] = invocation.args
    if (before === undefined || after === undefined)
      return wrongUsage(invocation, io, 'name two cassettes: sandgate cassette diff BEFORE AFTER')
    const diff = diffCassettes(loadCassette(before), loadCassette(after))
    io.out(printableLines(formatDiff(diff)))
    const same = diff.added.length + diff.removed.length + diff.changed.length === 0
    return same ? 'ok' : 'failure'
  })
