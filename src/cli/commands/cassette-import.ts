import { annotate } from '../../cassettes/bindings/annotate.ts'
import { VOLATILE } from '../../cassettes/bindings/contract.ts'
import { BUILT_IN } from '../../cassettes/bindings/deciding.ts'
import { CassetteError } from '../../cassettes/cassette-error.ts'
import { writeAlone } from '../../cassettes/file/write-alone.ts'
import { withoutReply, withoutReplyLines } from '../../cassettes/no-reply.ts'
import { keyCheckOf } from '../../cassettes/redaction/cassette-key.ts'
import { redactionPolicy } from '../../cassettes/redaction/contract.ts'
import { createPairBook } from '../../cassettes/redaction/pair-book.ts'
import { createRedactor } from '../../cassettes/redaction/redactor.ts'
import { freshSalt } from '../../cassettes/redaction/refused-pairs.ts'
import { type Imported, importHar } from '../../cassettes/tools/import.ts'
import { writeScrubbed } from '../../cassettes/writer/write-scrubbed.ts'
import { authToken } from '../../operations/auth-token.ts'
import { product } from '../../product.ts'
import { cassetteConfig, knownSecrets } from '../cassette-config.ts'
import type { Run } from '../command.ts'
import { outFile } from '../out-file.ts'
import { printableLines, reportingCassettes, wrongUsage } from '../reporting.ts'

/** Makes a cassette of the HAR of a browser, a proxy or a test runner; it is redacted as a recording is. */
export const run: Run = (invocation, io) =>
  reportingCassettes(invocation, io, () => {
    const { args, options } = invocation
    const [file] = args
    if (file === undefined)
      return wrongUsage(invocation, io, 'name a HAR: sandgate cassette import FILE.har --out FILE.har')
    const out = outFile(invocation)
    if (!out.ok) return wrongUsage(invocation, io, out.message)
    const { origin } = options
    if (typeof origin === 'string' && (!URL.canParse(origin) || new URL(origin).origin !== origin))
      return wrongUsage(invocation, io, `--origin takes scheme, host and port alone, not ${origin}`)
    const context = cassetteConfig(invocation, io)
    if (!context.ok) return context.exit
    const { deciding = BUILT_IN } = context
    const secrets = knownSecrets(context.config, io)
    const { rules, scores } = deciding
    const testValues = Object.keys(scores)
    const key = io.env.SANDGATE_CASSETTE_KEY
    const policy = redactionPolicy()
    const redactor = createRedactor({
      policy,
      secrets,
      rules,
      configuredTestValues: testValues,
      ...(key && { cassetteKey: key }),
    })
    const imported = importHar(file, {
      redactor,
      annotate: (interactions) => annotate(interactions, { rules, testValues, volatile: VOLATILE }),
      header: {
        product: product(),
        profile: 'contract',
        volatile: [...VOLATILE],
        redaction: policy.name,
        outcomes: { from: context.deciding ? 'configuration' : 'built-in', ...deciding },
        ...(key && { keyCheck: keyCheckOf(key) }),
      },
      pairs: createPairBook({ operation: authToken.id, salt: freshSalt(), cassetteKey: key }),
      ...(typeof origin === 'string' && { origin }),
    })
    const { interactions } = imported.cassette
    for (const line of leftOut(imported)) io.err(printableLines(line))
    if (interactions.length === 0)
      throw new CassetteError('empty', file, 'holds no exchange of the interface; nothing was written.')
    writeAlone(out.path, () => writeScrubbed(out.path, imported.cassette, secrets, redactor.redactText))
    const lacking = withoutReply(interactions)
    for (const line of withoutReplyLines(lacking)) io.err(printableLines(`${line}\n`))
    io.err(`${out.path}: ${interactions.length} interactions with ${imported.cassette.origin}\n`)
    if (options['allow-incomplete'] === true || !lacking.some(({ isFault }) => isFault)) return 'ok'
    io.err('some answers are not whole; --allow-incomplete takes the cassette all the same\n')
    return 'cassette'
  })

/** One line for each reason. */
function leftOut({ skipped }: Imported): string[] {
  const byReason = new Map<string, number[]>()
  for (const { entry, reason } of skipped) byReason.set(reason, [...(byReason.get(reason) ?? []), entry])
  return [...byReason].map(([reason, entries]) => {
    const listed = entries.slice(0, 5).join(', ')
    return `left out: ${entries.length} (entry ${listed}${entries.length > 5 ? ', …' : ''}) ${reason}\n`
  })
}
