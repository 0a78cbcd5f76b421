import { systemClock } from '../../clock.ts'
import { createSigningKeys, type SigningKeyRow } from '../../tokens/signing-keys.ts'
import type { Invocation, Io, Run } from '../command.ts'
import type { Exit } from '../exit-codes.ts'
import { callOperator } from '../operator-client.ts'
import { inDirectory } from '../owned-directory.ts'
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
  const { store, tokens } = loaded.config
  return inDirectory(command.name, loaded.config, io, async () => {
    const keys = createSigningKeys({
      directory: store.path,
      clock: systemClock,
      lifetimeSeconds: tokens.lifetimeSeconds,
    })
    io.out(shown(await local(keys)))
  })
}

function shown(keys: readonly SigningKeyRow[]): string {
  const rows = keys.map(({ kid, state, createdAt, expiresAt }) => [kid, state, createdAt, expiresAt ?? ''])
  return columns(['KEY', 'STATE', 'CREATED', 'VERIFIES UNTIL'], rows)
}
