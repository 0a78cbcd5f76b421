import { CassetteError, type CassetteFault } from '../../cassettes/cassette-error.ts'
import { cassettePaths } from '../../cassettes/file/paths.ts'
import { missText } from '../../cassettes/miss/console.ts'
import { withoutReplyLines } from '../../cassettes/no-reply.ts'
import { ledgerText, exitCode as verdictOn } from '../../cassettes/tape/ledger.ts'
import type { AskedOutcomes } from '../../recorder/ask-outcomes.ts'
import type { Recorded } from '../../recorder/recorded.ts'
import { defaultMode, doingOf, isCi, RECORD_MODES, type RecordMode } from '../../start/record-mode.ts'
import { type Session, startSession } from '../../start/recording.ts'
import { baseUrl } from '../base-url.ts'
import { cassetteConfig } from '../cassette-config.ts'
import { runChild } from '../child-process.ts'
import type { Ending, Invocation, Io, Run } from '../command.ts'
import { printableLines, wrongUsage } from '../reporting.ts'
import { stopSignal } from '../stop-signal.ts'

type Say = (text: string) => void

/** Records what a command (or, without one, whoever comes) says to a sandbox, or replays it: as the mode says. */
export const run: Run = async (invocation, io) => {
  const asked = readOptions(invocation, io)
  if ('wrong' in asked) return wrongUsage(invocation, io, asked.wrong)
  const context = cassetteConfig(invocation, io)
  if (!context.ok) return context.exit
  const say: Say = (text) => io.err(printableLines(`sandgate record: ${text}\n`))
  const key = io.env.SANDGATE_CASSETTE_KEY
  const color = process.stderr.isTTY === true && io.env.NO_COLOR === undefined
  let session: Session
  try {
    session = await startSession({
      ...asked,
      config: context.config,
      ...(context.deciding && { deciding: context.deciding }),
      secrets: secretsOf(io),
      ...(key && { cassetteKey: key }),
      onBad: (detail) => say(`the recording is incomplete: ${detail} The traffic goes on.`),
      onPast: (url) => say(`leads past the recorder: ${url}`),
      onFailure: (request, { code, detail, cause }) => say(`${request}: ${code} (${cause}). ${detail}`),
      onSetAside: (journal) =>
        say(`a recording with --mode all was not finished; it stands in ${journal} and is not gone on with`),
      onMiss: (report, reason) => {
        io.err(`${missText(report, { color })}\n`)
        if (reason !== undefined) say(`it was not passed on: ${reason}`)
      },
    })
  } catch (error) {
    return notStarted(error, asked, say)
  }
  if (!asked.isQuiet) io.out(printableLines(greeting(session, asked)))
  if (session.outcomes && !asked.isQuiet)
    io.err(printableLines(`sandgate record: ${rulesLine(session.outcomes)}\n`))
  const { child } = invocation
  if (child.length === 0) {
    await stopSignal().received
    return finish(session, asked, { code: 0, isInterrupted: false }, io, say)
  }
  let isInterrupted = false
  const code = await runChild(child, { SANDGATE_URL: session.url }, () => {
    isInterrupted = true
  })
  return finish(session, asked, { code, isInterrupted }, io, say)
}

/** What ails the recording; the other faults are of the cassette that is to be replayed. */
const OF_THE_RECORDING: ReadonlySet<CassetteFault> = new Set([
  'busy',
  'unfinished',
  'incomplete-recording',
  'unanswered',
  'secret-found',
  'unwritable',
])

function notStarted(error: unknown, { port, isDefault }: Asked, say: Say): Ending {
  if (error instanceof CassetteError) {
    const why = error.reason === 'missing' && isDefault ? ' (None is the default where CI is set.)' : ''
    say(`${error.message}${why}`)
    return OF_THE_RECORDING.has(error.reason) ? 'recording' : 'cassette'
  }
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
  say(
    `127.0.0.1:${port} cannot be listened on (${code}); choose another port with --port, or none for a free one`,
  )
  return code === 'EADDRINUSE' ? 'address' : 'failure'
}

function greeting({ doing, url, loaded }: Session, { out, upstream }: Asked): string {
  const sandbox = upstream === undefined ? '' : shown(upstream)
  if (doing === 'record') return `recording ${url} -> ${sandbox}\n`
  const rest = doing === 'continue' ? `, recording what is new -> ${sandbox}` : ''
  return `replaying ${loaded} interactions of ${cassettePaths(out).har} on ${url}${rest}\n`
}

/** Whose rules say which values decide something. */
function rulesLine({ from, rules, scores, because }: AskedOutcomes): string {
  const whose = {
    sandbox: 'those of the sandbox',
    configuration: 'those of --config',
    'built-in': 'the built-in ones',
  }
  const counts = `${rules.length} magic inputs, ${Object.keys(scores).length} seeded references`
  return `outcome rules: ${whose[from]} (${counts})${because === undefined ? '' : `, because ${because}`}`
}

/** How the command has ended. `isInterrupted`: by a signal, such as Ctrl-C, that it may have made a good end of. */
type Ended = { readonly code: number; readonly isInterrupted: boolean }

/** The command's own exit code, unless it went well and the recording or the replay did not. */
async function finish(
  session: Session,
  { out, mode, allowsIncomplete, isQuiet }: Asked,
  { code, isInterrupted }: Ended,
  io: Io,
  say: Say,
): Promise<Ending> {
  let isRecorded = session.doing !== 'record'
  try {
    // A run that failed, or was cut short, does not take the place of one that went well.
    const recorded = await session.finish(mode === 'all' && (code !== 0 || isInterrupted))
    if (recorded) {
      for (const line of withoutReplyLines(recorded.withoutReply)) say(line)
      isRecorded = allowsIncomplete || !lacksAnswers(recorded)
      if (!isQuiet || lacksAnswers(recorded)) say(described(recorded))
      if (!isRecorded) say('some answers are not whole; --allow-incomplete takes the recording all the same')
      const { har } = cassettePaths(out)
      if (recorded.path !== har) say(`${whyBeside({ code, isInterrupted })}, so ${har} stands as it was`)
    } else if (!isRecorded) {
      const { har } = cassettePaths(out)
      say(`nothing passed, so ${har} was not written; send requests to ${session.url} (SANDGATE_URL)`)
    }
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error
    say(error.message)
    isRecorded = false
  }
  const ledger = session.ledger()
  const rules = { ci: isCi(io.env) }
  const isGood = ledger !== undefined && verdictOn(ledger, rules) === 0
  if (ledger && !(isQuiet && isGood && code === 0)) io.err(printableLines(ledgerText(ledger, rules)))
  if (code !== 0) return code
  if (!isRecorded) return 'recording'
  return ledger === undefined || isGood ? 'ok' : 'failure'
}

/** What a shell makes of SIGINT. */
const INTERRUPTED = 130

function whyBeside({ code, isInterrupted }: Ended): string {
  if (isInterrupted || code === INTERRUPTED) return 'the command was interrupted'
  return code === 0 ? 'answers are missing' : 'the command failed'
}

function lacksAnswers({ withoutReply }: Recorded): boolean {
  return withoutReply.some(({ isFault }) => isFault)
}

function described({ path, exchanges, aborted, secrets, personal, recovered }: Recorded): string {
  const parts = [`recorded ${exchanges} ${exchanges === 1 ? 'exchange' : 'exchanges'}`]
  if (recovered) parts.push(`recovered ${recovered.recovered}, dropped ${recovered.dropped}`)
  if (aborted > 0) parts.push(`${aborted} without a reply`)
  parts.push(`redacted ${secrets} secret and ${personal} personal values`)
  return `${parts.join(', ')}: ${path}`
}

type Asked = {
  readonly upstream: URL | undefined
  readonly out: string
  readonly port: number
  readonly mode: RecordMode
  /** Nobody has named it. */
  readonly isDefault: boolean
  readonly headersMs?: number
  /** A recording that lacks answers counts as one. */
  readonly allowsIncomplete: boolean
  readonly keepUrls: boolean
  /** Only what is a problem is said. */
  readonly isQuiet: boolean
}
type Wrong = { readonly wrong: string }

function readOptions({ options }: Invocation, io: Io): Asked | Wrong {
  const { out } = options
  const upstream = typeof options.upstream === 'string' ? baseUrl(options.upstream) : undefined
  if (options.upstream !== undefined && upstream === undefined)
    return { wrong: '--upstream takes an http or https URL without credentials, query and fragment' }
  const given = options.mode ?? defaultMode(io.env)
  const mode = RECORD_MODES.find((name) => name === given)
  if (mode === undefined) return { wrong: `--mode is one of ${RECORD_MODES.join(', ')}, not ${given}` }
  const port = numberOf(options.port, 0, 65_535)
  if (port === undefined) return { wrong: `--port takes a number from 0 to 65535, not ${options.port}` }
  const seconds = numberOf(options.timeout, 1, 86_400)
  if (seconds === undefined)
    return { wrong: `--timeout takes a number of seconds from 1 to 86400, not ${options.timeout}` }
  if (typeof out !== 'string') return { wrong: 'name the cassette with --out FILE' }
  if (upstream === undefined && doingOf(mode, out) !== 'replay')
    return { wrong: 'name the sandbox with --upstream URL' }
  return {
    upstream,
    out,
    port,
    mode,
    isDefault: options.mode === undefined,
    allowsIncomplete: options['allow-incomplete'] === true,
    isQuiet: options.quiet === true,
    keepUrls: options['keep-urls'] === true,
    ...(options.timeout !== undefined && { headersMs: seconds * 1000 }),
  }
}

/** A whole number of an option within its bounds; the lowest when it was not given. */
function numberOf(given: string | true | undefined, lowest: number, highest: number): number | undefined {
  const value = Number(given ?? lowest)
  const isWhole = /^\d{1,5}$/.test(String(given ?? lowest))
  return isWhole && value >= lowest && value <= highest ? value : undefined
}

function shown(upstream: URL): string {
  return upstream.pathname === '/' ? upstream.origin : upstream.href
}

function secretsOf({ env }: Io): string[] {
  return [env.SANDGATE_CLIENT_SECRET, env.SANDGATE_CASSETTE_KEY].filter(
    (secret) => secret !== undefined && secret !== '',
  ) as string[]
}
