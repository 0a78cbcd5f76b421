import { existsSync } from 'node:fs'
import { cassettePaths } from '../cassettes/journal-files.ts'
import { CassetteError } from '../cassettes/load-error.ts'
import { type Recorded, type RunningRecorder, startRecorder } from '../recorder/recorder.ts'
import { printable, wrongUsage } from './cassette-problem.ts'
import { cassetteRules } from './cassette-rules.ts'
import { runChild } from './child-command.ts'
import type { Ending, Invocation, Io, Run } from './command.ts'
import { stopSignal } from './stop-signal.ts'

const MODES = ['once', 'new_episodes', 'all', 'none'] as const
type Mode = (typeof MODES)[number]

/** Records what a command (or, without one, whoever comes) says to a sandbox, and what it answers. */
export const run: Run = async (invocation, io) => {
  const asked = readOptions(invocation, io)
  if ('wrong' in asked) return wrongUsage(invocation, io, asked.wrong)
  const context = cassetteRules(invocation, io)
  if (!context.ok) return context.exit
  const { out, upstream, port, mode } = asked
  const say = (text: string) => io.err(printable(`sandgate record: ${text}\n`))
  const key = io.env.SANDGATE_CASSETTE_KEY
  const { rules, testValues } = context
  let recorder: RunningRecorder
  try {
    recorder = await startRecorder({
      upstream,
      out,
      port,
      leftover: mode === 'all' ? 'discard' : 'resume',
      rules,
      testValues,
      secrets: secretsOf(io),
      ...(key && { cassetteKey: key }),
      onBad: (detail) => say(`the recording is incomplete: ${detail} The traffic goes on.`),
      onFailure: (request, { code, detail, cause }) => say(`${request}: ${code} (${cause}). ${detail}`),
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof CassetteError) {
      say(message)
      return 'recording'
    }
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
    say(
      `127.0.0.1:${port} cannot be listened on (${code}); choose another port with --port, or none for a free one`,
    )
    return code === 'EADDRINUSE' ? 'address' : 'failure'
  }
  io.out(`recording ${recorder.url} -> ${shown(upstream)}\n`)
  const { child } = invocation
  const code =
    child.length > 0
      ? await runChild(child, { SANDGATE_URL: recorder.url })
      : await stopSignal().received.then(() => 0)
  return finish(recorder, out, code, say)
}

/** The command's own exit code, unless it went well and the recording did not. */
async function finish(
  recorder: RunningRecorder,
  out: string,
  code: number,
  say: (text: string) => void,
): Promise<Ending> {
  const failed = code === 0 ? 'recording' : code
  try {
    const recorded = await recorder.finish()
    if (recorded) {
      say(described(recorded))
      if (recorded.aborted < recorded.exchanges) return code
      say('no exchange had a reply of the upstream; this cassette replays nothing')
      return failed
    }
    say(
      `nothing passed, so ${cassettePaths(out).har} was not written; send requests to ${recorder.url} (SANDGATE_URL)`,
    )
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error
    say(error.message)
  }
  return failed
}

function described({ path, exchanges, aborted, secrets, personal, recovered }: Recorded): string {
  const parts = [`recorded ${exchanges} ${exchanges === 1 ? 'exchange' : 'exchanges'}`]
  if (recovered) parts.push(`recovered ${recovered.recovered}, dropped ${recovered.dropped}`)
  if (aborted > 0) parts.push(`${aborted} without a reply`)
  parts.push(`redacted ${secrets} secret and ${personal} personal values`)
  return `${parts.join(', ')}: ${path}`
}

type Asked = { readonly upstream: URL; readonly out: string; readonly port: number; readonly mode: Mode }
type Wrong = { readonly wrong: string }

function readOptions({ options, child }: Invocation, io: Io): Asked | Wrong {
  const { upstream, out } = options
  if (typeof upstream !== 'string') return { wrong: 'name the sandbox with --upstream URL' }
  if (typeof out !== 'string') return { wrong: 'name the cassette with --out FILE' }
  const url = upstreamUrl(upstream)
  if (url === undefined)
    return { wrong: '--upstream takes an http or https URL without credentials, query and fragment' }
  const port = Number(options.port ?? 0)
  if (!/^\d{1,5}$/.test(String(options.port ?? 0)) || port > 65_535)
    return { wrong: `--port takes a number from 0 to 65535, not ${options.port}` }
  const given = options.mode ?? (io.env.CI ? 'none' : 'once')
  const mode = MODES.find((name) => name === given)
  if (mode === undefined) return { wrong: `--mode is one of ${MODES.join(', ')}, not ${given}` }
  const { har } = cassettePaths(out)
  const command = child.length > 0 ? ' -- COMMAND' : ''
  if (mode === 'all' || (mode === 'once' && !existsSync(har))) return { upstream: url, out, port, mode }
  const why =
    mode === 'once' ? `${har} exists, and mode once records only what is absent` : `mode ${mode} replays`
  const ci = options.mode === undefined && mode === 'none' ? ' (the default where CI is set)' : ''
  return { wrong: `${why}${ci}; run sandgate replay ${har}${command}, or record it anew with --mode all` }
}

function upstreamUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return isPlain && /^https?:$/.test(url.protocol) ? url : undefined
}

function shown(upstream: URL): string {
  return upstream.pathname === '/' ? upstream.origin : upstream.href
}

function secretsOf({ env }: Io): string[] {
  return [env.SANDGATE_CLIENT_SECRET, env.SANDGATE_CASSETTE_KEY].filter(
    (secret) => secret !== undefined && secret !== '',
  ) as string[]
}
