import { existsSync, rmdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SCOPES } from '../../config/contract.ts'
import type { Override } from '../../config/environment.ts'
import { formatConfigErrors } from '../../config/errors.ts'
import { initialConfiguration, initialPartners } from '../../config/initial.ts'
import { loadConfig } from '../../config/load.ts'
import { createSandboxKey, type SandboxKey } from '../../config/sandbox-keys.ts'
import { displayName } from '../../config/yaml-file.ts'
import { createFiles, FileExists } from '../../create-files.ts'
import { LockHeld } from '../../file-lock.ts'
import { isUnusableHost } from '../../http/loopback.ts'
import { makeDirectory } from '../../make-directory.ts'
import { systemCode } from '../../system-error.ts'
import { printable } from '../../terminal.ts'
import type { Invocation, Io, Run } from '../command.ts'
import { configFile } from '../config-file.ts'
import type { Exit } from '../exit-codes.ts'
import { firstCall } from '../first-call.ts'

/** Stands for the gateway's own URL while the rest is judged; it is no URL that anybody gives. */
const SOME_URL = 'http://sandgate.invalid'

/**
 * Writes a configuration, its first partner and a sandbox key. The credentials are printed once, on standard output
 * and as a shell sets them; everything else goes to standard error.
 */
export const run: Run = async ({ options }, io) => {
  const fail = (exit: Exit, message: string): Exit => {
    io.err(`sandgate init: ${printable(message)}\n`)
    return exit
  }
  const directory = String(options.directory ?? 'config')
  const usual = configFile(undefined)
  if (options.directory === undefined && usual !== null)
    return fail('failure', `${displayName(usual)} is here already; nothing was changed${REMEDY}`)

  const key = createSandboxKey()
  const planned = plan(options, key, io)
  if (!planned.ok) {
    io.err(`${printable(planned.errors, '\n')}\nsandgate init: nothing was written\n`)
    return planned.exit
  }
  const { partner, settings, url } = planned

  const file = join(directory, 'sandgate.yaml')
  const isNew = !existsSync(directory)
  try {
    makeDirectory(directory)
    createFiles(directory, [{ name: 'partners.yaml', text: initialPartners([partner]) }], {
      name: 'sandgate.yaml',
      text: initialConfiguration(settings),
    })
  } catch (cause) {
    if (isNew) removeEmpty(directory)
    if (cause instanceof FileExists)
      return fail('failure', `${displayName(cause.path)} is there already; nothing was changed${REMEDY}`)
    if (cause instanceof LockHeld) return fail('failure', `${cause.holder} writes into ${directory}`)
    const code = systemCode(cause)
    if (code === undefined) throw cause
    return fail('failure', `cannot write into ${displayName(directory)} (${code}); nothing was changed`)
  }

  const isUsual = configFile(undefined) === file || resolve(configFile(undefined) ?? '') === resolve(file)
  const config = isUsual ? '' : ` --config ${shellWord(file)}`
  const partners = displayName(join(directory, 'partners.yaml'))
  io.err(
    printable(
      `Wrote ${displayName(file)}, and ${partners} with the partner ${partner.id} (tenant ${partner.tenant}).\nIts sandbox key is shown this once; what is kept is the SHA-256:\n\n`,
      '\n',
    ),
  )
  io.out(
    `export SANDGATE_URL=${url}\nexport SANDGATE_CLIENT_ID=${key.id}\nexport SANDGATE_CLIENT_SECRET=${key.secret}\n`,
  )
  io.err(`
Start the gateway: sandgate serve${config} (with Docker Compose: docker compose up -d). When it listens, paste the
three lines above and a first call, a token and then a payment:

${firstCall('$SANDGATE_URL', '$SANDGATE_CLIENT_ID', '$SANDGATE_CLIENT_SECRET')}
Later: sandgate keys create --partner ${partner.id} --write${config} makes another key, and
sandgate config check ${shellWord(file)} says what is wrong with a change.
`)
  return 'ok'
}

const REMEDY =
  ': sandgate keys create --partner ID --write makes another key, --directory DIR writes elsewhere'

/** Everything is judged before anything is written, by the rules that the gateway itself starts by. */
function plan(options: Invocation['options'], key: SandboxKey, io: Io) {
  const id = String(options.partner ?? 'first')
  const partner = {
    id,
    name: String(options.name ?? id),
    tenant: String(options.tenant ?? `tn_sandbox_${id}`),
    scopes: [...SCOPES],
    keys: [{ id: key.id, sha256: key.sha256 }],
  }
  const flags: Override[] = [{ source: '--partner', path: ['partners'], value: [partner] }]
  // These two are in the list already; here they say which flag a mistake is in.
  for (const name of ['name', 'tenant'] as const)
    if (options[name] !== undefined)
      flags.push({ source: `--${name}`, path: ['partners', 0, name], value: partner[name] })
  if (options.data !== undefined)
    flags.push({ source: '--data', path: ['store', 'path'], value: options.data })
  const given = options['public-url']
  const load = (publicUrl: string | true | undefined) => {
    const flag = { source: '--public-url', path: ['listen', 'publicUrl'], value: publicUrl }
    return loadConfig({ env: io.env, flags: publicUrl === undefined ? flags : [...flags, flag] })
  }
  // In a container it listens on every address, and none of them is one that a client could use.
  const asGiven = load(given)
  const result = asGiven.ok || given !== undefined ? asGiven : load(SOME_URL)
  if (!result.ok) {
    const exit: Exit = result.errors.every(({ file }) => file.startsWith('--')) ? 'usage' : 'configuration'
    return { ok: false, exit, errors: formatConfigErrors(result.errors) } as const
  }
  const { host, port, publicUrl } = result.config.listen
  const own = `http://${isUnusableHost(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
  const url = publicUrl === null || publicUrl === SOME_URL ? own : publicUrl
  return {
    ok: true,
    partner,
    url,
    settings: {
      host,
      port,
      publicUrl: given !== undefined || publicUrl === SOME_URL ? url : null,
      dataDirectory: options.data === undefined ? null : String(options.data),
    },
  } as const
}

/** Somebody else may have put something there. */
function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Then it stays.
  }
}

/** A word that a shell reads as it is. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
