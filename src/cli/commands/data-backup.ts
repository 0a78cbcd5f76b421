import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backUp } from '../../backup/backup.ts'
import { MANIFEST, type Manifest } from '../../backup/manifest.ts'
import { type Outcome, sizeText } from '../../backup/outcome.ts'
import { restore as restoreInto } from '../../backup/restore.ts'
import { systemClock } from '../../clock.ts'
import { KEY_FILE } from '../../tokens/key-file.ts'
import type { Run } from '../command.ts'
import { configFile, readConfig } from '../config-file.ts'
import type { Exit } from '../exit-codes.ts'
import { callOwner } from '../operator-client.ts'
import { inDirectory } from '../owned-directory.ts'
import { printableLines, wrongUsage } from '../reporting.ts'

/** As long as a large file on a slow disk may take. */
const PATIENCE_MS = 24 * 3_600_000

/** Copies the data directory: through the gateway that runs on it, or by itself when none does. */
export const backup: Run = async (invocation, io) => {
  const { command, options, args } = invocation
  const [named] = args
  if (named === undefined)
    return wrongUsage(invocation, io, 'name the directory that the backup is written to')
  const loaded = readConfig(configFile(options.config), io)
  if (!loaded) return 'configuration'
  const { store } = loaded.config
  if (store.engine === 'memory')
    return wrongUsage(invocation, io, 'the store is kept in memory; there is nothing to back up')
  const directory = resolve(named)
  const refused = (message: string): Exit => {
    io.err(printableLines(`sandgate ${command.name}: ${message}\n`))
    return 'failure'
  }
  const body = { directory }
  const call = { method: 'POST', path: '/backup', body, patienceMs: PATIENCE_MS } as const
  const answer = await callOwner(loaded.config, call)
  if (answer.kind === 'refused') return refused(answer.message)
  if (answer.kind === 'answered') {
    const written = answer.body as Manifest & { directory: string }
    // A gateway in a container has paths of its own.
    const isSeen = existsSync(join(directory, MANIFEST))
    io.out(
      told(
        written.directory,
        written,
        isSeen ? '' : ', as the gateway names it; it is not to be seen from here',
      ),
    )
    return 'ok'
  }
  let outcome: Outcome<{ directory: string; manifest: Manifest }> | undefined
  const exit = await inDirectory(command.name, loaded.config, io, async (owned) => {
    const { reserveBytes, path } = store
    outcome = await backUp(directory, { store: owned, dataDirectory: path, reserveBytes, clock: systemClock })
  })
  if (outcome === undefined) return exit
  if (!outcome.ok) return refused(outcome.message)
  io.out(told(outcome.directory, outcome.manifest, ''))
  return 'ok'
}

function told(directory: string, { files, createdAt }: Manifest, where: string): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const keys = files.some(({ name }) => name === KEY_FILE)
    ? 'with the signing keys'
    : 'without signing keys: there are none yet'
  return `Backed up to ${directory}${where}: ${sizeText(bytes)}, as of ${createdAt}, ${keys}.\n`
}

/** Makes the data directory of the configuration out of a backup. */
export const restore: Run = async (invocation, io) => {
  const { command, options, args } = invocation
  const [from] = args
  if (from === undefined) return wrongUsage(invocation, io, 'name the directory of the backup')
  const loaded = readConfig(configFile(options.config), io)
  if (!loaded) return 'configuration'
  const { store } = loaded.config
  if (store.engine === 'memory')
    return wrongUsage(invocation, io, 'the store is kept in memory; set store.path to restore into it')
  const outcome = await restoreInto(from, store.path)
  if (!outcome.ok) {
    io.err(printableLines(`sandgate ${command.name}: ${outcome.message}\n`))
    return 'store'
  }
  const { createdAt } = outcome.manifest
  io.out(`Restored ${store.path} as of ${createdAt}.\n`)
  io.err(
    `What happened after ${createdAt} is not known here: Idempotency-Keys finished since then are unknown again, and a retry executes anew.\n`,
  )
  return 'ok'
}
