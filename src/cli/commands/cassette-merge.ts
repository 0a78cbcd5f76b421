import { writeHar } from '../../cassettes/file/har/write.ts'
import { loadSound } from '../../cassettes/file/load.ts'
import { writeAlone } from '../../cassettes/file/write-alone.ts'
import { mergeCassettes } from '../../cassettes/merging/merge.ts'
import { cassetteConfig, knownSecrets } from '../cassette-config.ts'
import type { Run } from '../command.ts'
import { outFile } from '../out-file.ts'
import { terminalProgress } from '../progress.ts'
import { reportingCassettes, wrongUsage } from '../reporting.ts'

/** One cassette of several, in the order they are named. */
export const run: Run = (invocation, io) =>
  reportingCassettes(invocation, io, () => {
    const { args } = invocation
    if (args.length < 2)
      return wrongUsage(
        invocation,
        io,
        'name two cassettes or more: sandgate cassette merge FILE... --out FILE',
      )
    const out = outFile(invocation)
    if (!out.ok) return wrongUsage(invocation, io, out.message)
    const context = cassetteConfig(invocation, io)
    if (!context.ok) return context.exit
    const progress = terminalProgress()
    const cassettes = args.map((file) =>
      loadSound(file, (count) => progress.at(`loading ${file}: ${count} entries`)),
    )
    progress.at(`merging ${cassettes.length} cassettes`)
    const merged = mergeCassettes(cassettes)
    progress.done()
    const secrets = knownSecrets(context.config, io)
    writeAlone(out.path, () => writeHar(out.path, merged, secrets))
    io.err(`${out.path}: ${merged.interactions.length} interactions of ${args.length} cassettes\n`)
    return 'ok'
  })
