import type { FastifyInstance, FastifyReply } from 'fastify'
import { isMapping } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import { DATA_KINDS, type DataKind, type DataUsage, type Store, StoreUnavailable } from '../store/store.ts'
import { refuse } from './operator-reply.ts'

/** What an operator sees and does about the data of a partner. */
export type DataParts = {
  /** As it is now: partners come and go with a reload. */
  readonly config: () => Config
  readonly store: Pick<Store, 'dataUsage' | 'resetData'>
}

export type DataRow = DataUsage & { readonly limit: number; readonly unit: 'records' | 'bytes' }

/** `GET /data/ID` and `POST /data/ID/reset`, which takes `{"kind": KIND}` or `{}` for all of them. */
export function addDataRoutes(app: FastifyInstance, { config, store }: DataParts): void {
  const ownerOf = (id: string) => {
    const partner = config().partners.find((each) => each.id === id)
    return partner && { partner: partner.id, tenant: partner.tenant }
  }
  const nobody = (reply: FastifyReply) => refuse(reply, 404, 'There is no such partner.')

  app.get<{ Params: { partner: string } }>('/data/:partner', async ({ params }, reply) => {
    const owner = ownerOf(params.partner)
    return owner ? { data: await dataRows(config(), store, owner) } : nobody(reply)
  })
  app.post<{ Params: { partner: string } }>('/data/:partner/reset', async ({ params, body }, reply) => {
    const owner = ownerOf(params.partner)
    if (!owner) return nobody(reply)
    const kinds = kindsOf(body)
    if (!kinds)
      return refuse(reply, 400, `Send {"kind": KIND} with one of ${DATA_KINDS.join(', ')}, or {} for all.`)
    try {
      await store.resetData(owner, kinds)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      return refuse(reply, 503, `Nothing was deleted: ${error.message}`)
    }
    return { data: await dataRows(config(), store, owner) }
  })
}

/** What a partner holds of each kind, and what it may. */
export async function dataRows(
  { store: { quotas } }: Config,
  store: Pick<Store, 'dataUsage'>,
  owner: { readonly partner: string; readonly tenant: string },
): Promise<DataRow[]> {
  return (await store.dataUsage(owner)).map((usage) => ({
    ...usage,
    limit: usage.kind === 'keys' ? quotas.answerBytes : quotas[usage.kind],
    unit: usage.kind === 'keys' ? 'bytes' : 'records',
  }))
}

function kindsOf(body: unknown): readonly DataKind[] | undefined {
  if (!isMapping(body)) return undefined
  const { kind, ...rest } = body
  if (Object.keys(rest).length > 0) return undefined
  if (kind === undefined) return DATA_KINDS
  const found = DATA_KINDS.find((each) => each === kind)
  return found && [found]
}
