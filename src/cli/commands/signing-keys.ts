import { systemClock } from '../../clock.ts'
import { createSigningKeys, type Rotation, type SigningKeyRow } from '../../tokens/signing-keys.ts'
import type { Invocation, Io, Run } from '../command.ts'
import { configFile, readConfig } from '../config-file.ts'
import type { Exit } from '../exit-codes.ts'
import { callGateway, type OperatorRequest } from '../operator-client.ts'
import { inDirectory } from '../owned-directory.ts'
import { columns } from '../table.ts'

/** Shows the signing keys: of the gateway of the data directory, or of the directory when nothing runs on it. */
export const list: Run = (invocation, io) =>
  work(invocation, io, {
    remote: { method: 'GET', path: '/signing-keys' },
    local: async (keys) => keys.list(),
  })

/** Makes a new signing key, which signs when every client can know it; or at once, where that is asked for. */
export const rotate: Run = (invocation, io) => {
  const { options, command } = invocation
  if (options.now === true && options.leaked === true) {
    io.err(`sandgate ${command.name}: --leaked signs at once already; leave out --now\n`)
    return Promise.resolve('usage')
  }
  const how: Rotation = options.leaked === true ? 'leaked' : options.now === true ? 'now' : 'published'
  return work(invocation, io, {
    remote: { method: 'POST', path: '/signing-keys/rotate', body: { how } },
    local: async (keys) => {
      await keys.rotate(how)
      return keys.list()
    },
  })
}

type Work = {
  readonly remote: OperatorRequest
  readonly local: (keys: ReturnType<typeof createSigningKeys>) => Promise<SigningKeyRow[]>
}

async function work({ command, options }: Invocation, io: Io, { remote, local }: Work): Promise<Exit> {
  const loaded = readConfig(configFile(options.config), io)
  if (!loaded) return 'configuration'
  const answer = await callGateway(loaded.config, options.operator, remote)
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
    const { lifetimeSeconds, publishSeconds } = tokens
    const keys = createSigningKeys({
      directory: store.path,
      clock: systemClock,
      lifetimeSeconds,
      publishSeconds,
    })
    io.out(shown(await local(keys)))
  })
}

function shown(keys: readonly SigningKeyRow[]): string {
  const rows = keys.map(({ kid, state, createdAt, signsAt, expiresAt }) => [
    kid,
    state,
    createdAt,
    signsAt ?? '',
    expiresAt ?? '',
  ])
  return columns(['KEY', 'STATE', 'CREATED', 'SIGNS FROM', 'VERIFIES UNTIL'], rows)
}
