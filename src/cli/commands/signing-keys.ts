import { existsSync } from 'node:fs'
import { systemClock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import { openEmbeddedStore } from '../../store/embedded.ts'
import { StoreOpenError } from '../../store/store.ts'
import { SigningKeysError } from '../../tokens/key-file.ts'
import { createSigningKeys, type SigningKeyRow } from '../../tokens/signing-keys.ts'
import type { Invocation, Io, Run } from '../command.ts'
import type { Exit } from '../exit-codes.ts'
import { callOperator } from '../operator-client.ts'
import { partnerConfig } from '../partner-config.ts'
import { columns } from '../table.ts'

/** Shows the signing keys: of the running gateway, or of the data directory when nothing runs. */
export const list: Run = (invocation, io) =>
  work(invocation, io, {
    remote: { method: 'GET', path: '/signing-keys' },
    local: async (keys) => keys.list(),
  })

/** Makes a new signing key. What the old one has signed verifies until it has expired. */
export const rotate: Run = (invocation, io) =>
  work(invocation, io, {
    remote: { method: 'POST', path: '/signing-keys/rotate' },
    local: async (keys) => {
      await keys.rotate()
      return keys.list()
    },
  })

type Work = {
  readonly remote: { readonly method: 'GET' | 'POST'; readonly path: string }
  readonly local: (keys: ReturnType<typeof createSigningKeys>) => Promise<SigningKeyRow[]>
}

async function work({ command, options }: Invocation, io: Io, { remote, local }: Work): Promise<Exit> {
  const loaded = partnerConfig(command.name, options.config, io)
  if (!loaded.ok) return loaded.exit
  const answer = await callOperator(loaded.config, options.operator, remote)
  if (answer.kind === 'answered') {
    const { keys } = answer.body as { keys: SigningKeyRow[] }
    io.out(shown(keys))
    return 'ok'
  }
  if (answer.kind === 'refused' || options.operator !== undefined) {
    io.err(`sandgate ${command.name}: ${answer.message}\n`)
    return 'failure'
  }
  return await inDirectory(command.name, loaded.config, io, async (keys) => io.out(shown(await local(keys))))
}

/** With nothing running: the directory is claimed for the moment, so that no gateway starts in between. */
async function inDirectory(
  command: string,
  { store, tokens }: Config,
  io: Io,
  run: (keys: ReturnType<typeof createSigningKeys>) => Promise<void>,
): Promise<Exit> {
  if (store.engine !== 'embedded' || !existsSync(store.path)) {
    io.err(
      `sandgate ${command}: no gateway answers and there is no data directory ${store.path}; start one first\n`,
    )
    return 'store'
  }
  try {
    const owned = await openEmbeddedStore({ path: store.path })
    try {
      await run(
        createSigningKeys({
          directory: store.path,
          clock: systemClock,
          lifetimeSeconds: tokens.lifetimeSeconds,
        }),
      )
    } finally {
      await owned.close()
    }
    return 'ok'
  } catch (error) {
    if (!(error instanceof StoreOpenError) && !(error instanceof SigningKeysError)) throw error
    const hint =
      error instanceof StoreOpenError && error.reason === 'in-use'
        ? '; name its operator listener with --operator URL'
        : ''
    io.err(`sandgate ${command}: ${error.message}${hint}\n`)
    return 'store'
  }
}

function shown(keys: readonly SigningKeyRow[]): string {
  const rows = keys.map(({ kid, state, createdAt, expiresAt }) => [kid, state, createdAt, expiresAt ?? ''])
  return columns(['KEY', 'STATE', 'CREATED', 'VERIFIES UNTIL'], rows)
}
