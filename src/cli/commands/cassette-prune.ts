import { existsSync } from 'node:fs'
import { CassetteError } from '../../cassettes/cassette-error.ts'
import { writeHar } from '../../cassettes/file/har/write.ts'
import { loadSound } from '../../cassettes/file/load.ts'
import { writeAlone } from '../../cassettes/file/write-alone.ts'
import { pruned } from '../../cassettes/tools/prune.ts'
import { unusedInAll } from '../../cassettes/tools/used.ts'
import { systemClock } from '../../clock.ts'
import { ageMs } from '../age.ts'
import { cassetteConfig, knownSecrets } from '../cassette-config.ts'
import type { Run } from '../command.ts'
import { listOf } from '../parse.ts'
import { terminalProgress } from '../progress.ts'
import { printableLines, reportingCassettes, wrongUsage } from '../reporting.ts'

/** Takes out of cassettes what no test has used, or what was recorded long ago. */
export const run: Run = (invocation, io) =>
  reportingCassettes(invocation, io, () => {
    const { args, options } = invocation
    const wrong = (message: string) => wrongUsage(invocation, io, message)
    const ledgers = listOf(options.unused)
    const older = options['older-than']
    const age = typeof older === 'string' ? ageMs(older) : undefined
    if (args.length === 0) return wrong('name the cassettes: sandgate cassette prune FILE... --unused LEDGER')
    if (older !== undefined && age === undefined)
      return wrong(`--older-than takes a number of days, weeks or years such as 180d, not ${older}`)
    if (ledgers.length === 0 && age === undefined)
      return wrong(
        'say what goes: --unused LEDGER of `sandgate replay --ledger LEDGER`, or --older-than 180d',
      )
    const context = cassetteConfig(invocation, io)
    if (!context.ok) return context.exit
    const secrets = knownSecrets(context.config, io)
    const oldest = age === undefined ? Number.NEGATIVE_INFINITY : systemClock.now() - age
    const progress = terminalProgress()
    const isTrial = options['dry-run'] === true
    const pruneOne = (file: string): void => {
      const cassette = loadSound(file, (count) => progress.at(`loading ${file}: ${count} entries`))
      progress.done()
      if (cassette.form === 'journal') {
        const detail = 'is a recording that was not finished: the next `sandgate record` finishes it.'
        throw new CassetteError('unfinished', file, detail)
      }
      const unused = unusedInAll(file, cassette, ledgers)
      const before = cassette.interactions
      const kept = new Set(
        pruned(before, ({ sequence, startedAt }) => !unused.has(sequence) && startedAt >= oldest),
      )
      const removed = before.filter((interaction) => !kept.has(interaction))
      const count = `${removed.length} of ${before.length} interactions`
      const say = (text: string) => io.err(printableLines(`${file}: ${text}\n`))
      if (kept.size === 0 && before.length > 0) {
        say('nothing would be left; it stands as it was')
        return
      }
      for (const { sequence, request, operation } of removed)
        io.out(
          printableLines(`${file}:${sequence}: ${request.method} ${operation ?? '(unknown operation)'}\n`),
        )
      if (!isTrial && removed.length > 0) writeHar(file, { ...cassette, interactions: [...kept] }, secrets)
      say(isTrial ? `${count} would go` : `${count} removed`)
    }
    for (const file of args) {
      if (isTrial || !existsSync(file)) pruneOne(file)
      else writeAlone(file, () => pruneOne(file))
    }
    return 'ok'
  })
