import { type DataRow, dataRows } from '../../gateway/operator-data.ts'
import { DATA_KINDS, type DataKind } from '../../store/store.ts'
import type { Io, Run } from '../command.ts'
import { configFile, readConfig } from '../config-file.ts'
import type { Exit } from '../exit-codes.ts'
import { callGateway, type OperatorRequest } from '../operator-client.ts'
import { inDirectory } from '../owned-directory.ts'
import { columns } from '../table.ts'

/** Shows what a partner holds: of the running gateway, or of the data directory when nothing runs. */
export const usage: Run = (invocation, io) => work(invocation, io, undefined)

/** Deletes what a partner holds, or one kind of it. */
export const reset: Run = async (invocation, io) => {
  const { kind } = invocation.options
  const found = DATA_KINDS.filter((each) => kind === undefined || each === kind)
  if (found.length > 0) return work(invocation, io, found)
  io.err(`sandgate data reset: --kind must be one of ${DATA_KINDS.join(', ')}\n`)
  return 'usage'
}

async function work(
  { command, options }: Parameters<Run>[0],
  io: Io,
  kinds: readonly DataKind[] | undefined,
): Promise<Exit> {
  const loaded = readConfig(configFile(options.config), io)
  if (!loaded) return 'configuration'
  const { config } = loaded
  const partner = config.partners.find(({ id }) => id === options.partner)
  if (!partner) {
    const names = config.partners.map(({ id }) => id).join(', ')
    io.err(`sandgate ${command.name}: name the partner with --partner ID; there are ${names}\n`)
    return 'usage'
  }
  const answer = await callGateway(config, options.operator, requestFor(partner.id, kinds))
  if (answer.kind === 'answered') {
    io.out(shown((answer.body as { data: DataRow[] }).data))
    return 'ok'
  }
  if (answer.kind === 'refused' || options.operator !== undefined) {
    io.err(`sandgate ${command.name}: ${answer.message}\n`)
    return 'failure'
  }
  const owner = { partner: partner.id, tenant: partner.tenant }
  return inDirectory(command.name, config, io, async (store) => {
    if (kinds) await store.resetData(owner, kinds)
    io.out(shown(await dataRows(config, store, owner)))
  })
}

function requestFor(id: string, kinds: readonly DataKind[] | undefined): OperatorRequest {
  if (!kinds) return { method: 'GET', path: `/data/${id}` }
  const [kind] = kinds
  const body = kinds.length === DATA_KINDS.length ? {} : { kind }
  return { method: 'POST', path: `/data/${id}/reset`, body }
}

function shown(rows: readonly DataRow[]): string {
  return columns(
    ['KIND', 'USED', 'LIMIT', 'UNIT'],
    rows.map(({ kind, used, limit, unit }) => [kind, String(used), String(limit), unit]),
  )
}
