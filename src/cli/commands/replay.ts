import { statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { VolatileRuleError } from '../../cassettes/bindings/volatile.ts'
import { isProfile } from '../../cassettes/file/header.ts'
import { loadSound } from '../../cassettes/file/load.ts'
import type { Cassette } from '../../cassettes/interaction.ts'
import { missText } from '../../cassettes/miss/console.ts'
import { missJUnit } from '../../cassettes/miss/junit.ts'
import type { MissReport } from '../../cassettes/miss/report.ts'
import { exitCode, type Ledger, ledgerJson, ledgerText } from '../../cassettes/tape/ledger.ts'
import { systemClock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import { createLogger } from '../../observe/logger.ts'
import { isCi } from '../../start/record-mode.ts'
import { type ReplayGateway, startReplay } from '../../start/replay.ts'
import { ageMs, days } from '../age.ts'
import { runChild } from '../child-process.ts'
import type { Ending, Invocation, Io, Run } from '../command.ts'
import { namedFile, readConfig } from '../config-file.ts'
import { listOf } from '../parse.ts'
import { terminalProgress } from '../progress.ts'
import { printableLines, reportingCassettes, wrongUsage } from '../reporting.ts'
import { stopSignal } from '../stop-signal.ts'
import { runUnoptimized } from '../unoptimized.ts'

/** Answers from cassettes, for a command or until it is stopped, and says at the end what became of them. */
export const run: Run = (invocation, io) => reportingCassettes(invocation, io, () => replay(invocation, io))

async function replay(invocation: Invocation, io: Io): Promise<Ending> {
  const { args, options, child } = invocation
  if (args.length === 0)
    return wrongUsage(invocation, io, 'name at least one cassette: sandgate replay FILE...')
  const port = Number(options.port ?? 0)
  if (!/^\d{1,5}$/.test(String(options.port ?? 0)) || port > 65_535) {
    return wrongUsage(invocation, io, `--port takes a number from 0 to 65535, not ${options.port}`)
  }
  const partners =
    typeof options.partners === 'string' ? { SANDGATE_PARTNERS: resolve(options.partners) } : {}
  const configured = readConfig(namedFile(options.config), io, { ...io.env, ...partners })
  if (!configured) return 'configuration'
  const maxAge = typeof options['max-age'] === 'string' ? ageMs(options['max-age']) : undefined
  if (options['max-age'] !== undefined && maxAge === undefined)
    return wrongUsage(
      invocation,
      io,
      `--max-age takes a number of days, weeks or years such as 90d, not ${options['max-age']}`,
    )
  if (options['fail-old'] === true && maxAge === undefined)
    return wrongUsage(invocation, io, '--fail-old says what --max-age leads to; name an age as well')
  const loadedCassettes: Cassette[] = []
  let gateway: ReplayGateway
  const optimize = isSmall(args) ? runUnoptimized() : () => {}
  try {
    gateway = await start(invocation, io, configured.config, port, (cassette) =>
      loadedCassettes.push(cassette),
    )
  } catch (error) {
    if (error instanceof VolatileRuleError) return wrongUsage(invocation, io, error.message)
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    io.err(`sandgate replay: 127.0.0.1:${port} is already in use; choose another port with --port\n`)
    return 'address'
  } finally {
    setTimeout(optimize, FIRST_ANSWER_MS).unref()
  }
  const isOld = tellOld(loadedCassettes, maxAge, io)
  const { loaded } = gateway
  if (options.quiet !== true)
    io.out(printableLines(`replaying ${loaded} interactions of ${args.join(', ')} on ${gateway.url}\n`))
  const code =
    child.length > 0
      ? await runChild(child, { SANDGATE_URL: gateway.url })
      : await stopSignal().received.then(() => 0)
  await gateway.close()
  const ending = finish(invocation, io, gateway.ledger(), gateway.misses(), code)
  return ending === 'ok' && isOld && options['fail-old'] === true ? 'failure' : ending
}

/** Larger cassettes are read sooner by code that V8 has optimized. */
const SMALL_BYTES = 8 << 20
/** Within this a test that waits for the replay has its first answer, for which the entries are put in order. */
const FIRST_ANSWER_MS = 300

function isSmall(files: readonly string[]): boolean {
  try {
    return files.reduce((bytes, file) => bytes + statSync(file).size, 0) <= SMALL_BYTES
  } catch {
    // What cannot be read is said where it is read.
    return false
  }
}

/** Says which cassettes nobody has recorded anew for too long: what the sandbox answers by now is another matter. */
function tellOld(cassettes: readonly Cassette[], maxAge: number | undefined, io: Io): boolean {
  if (maxAge === undefined) return false
  const now = systemClock.now()
  let isOld = false
  for (const { file, interactions } of cassettes) {
    const oldest = interactions.reduce(
      (ms, { startedAt }) => Math.min(ms, startedAt),
      Number.POSITIVE_INFINITY,
    )
    if (now - oldest <= maxAge || interactions.length === 0) continue
    isOld = true
    io.err(
      printableLines(
        `sandgate replay: ${file ?? 'the cassette'} is old: an entry was recorded ${days(now - oldest)} ago, and --max-age is ${days(maxAge)}; record it again\n`,
      ),
    )
  }
  return isOld
}

function start(
  { args, options }: Invocation,
  io: Io,
  config: Config,
  port: number,
  onLoaded: (cassette: Cassette) => void,
): Promise<ReplayGateway> {
  const color = process.stderr.isTTY === true && io.env.NO_COLOR === undefined
  return startReplay({
    load: () => {
      const progress = terminalProgress()
      const cassettes = args.map((file) =>
        loadSound(
          file,
          (count) => options.quiet !== true && progress.at(`loading ${file}: ${count} entries`),
        ),
      )
      progress.done()
      for (const cassette of cassettes) onLoaded(cassette)
      return cassettes
    },
    config,
    port,
    partners: options.partners === undefined ? 'any' : 'configured',
    logger: createLogger({ requests: false, format: 'off' }),
    onMiss: (report) => io.err(`${missText(report, { color })}\n`),
    ...(isProfile(options.profile) && { profile: options.profile }),
    volatile: listOf(options.volatile),
    time: options.freeze === true ? 'freeze' : 'shift',
    ...(io.env.SANDGATE_CASSETTE_KEY && { cassetteKey: io.env.SANDGATE_CASSETTE_KEY }),
  })
}

/** The command's own exit code, unless it went well and the replay did not. */
function finish(
  { options }: Invocation,
  io: Io,
  ledger: Ledger,
  misses: readonly MissReport[],
  code: number,
): Ending {
  const rules = { failUnused: options['fail-unused'] === true, ci: isCi(io.env) }
  const isGood = code === 0 && exitCode(ledger, rules) === 0
  if (options.quiet !== true || !isGood) io.err(printableLines(ledgerText(ledger, rules)))
  const reports = [
    { path: options.junit, text: () => missJUnit(misses) },
    { path: options.ledger, text: () => ledgerJson(ledger, misses, rules) },
  ]
  const failed = reports.filter(
    ({ path, text }) => typeof path === 'string' && !writeReport(path, text(), io),
  )
  const isWritten = failed.length === 0
  if (code !== 0) return code
  return isWritten && exitCode(ledger, rules) === 0 ? 'ok' : 'failure'
}

function writeReport(path: string, text: string, io: Io): boolean {
  try {
    writeFileSync(path, text)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    io.err(printableLines(`sandgate replay: ${path} cannot be written (${code})\n`))
    return false
  }
}
