import Type from 'typebox'
import { refuse } from '../errors/refusal.ts'
import { DATA_KINDS, type DataKind, StoreUnavailable } from '../store/store.ts'
import * as field from './fields.ts'
import type { Operation } from './operation.ts'

const RETRY_SECONDS = 5

export const sandboxReset: Operation = {
  id: 'sandbox.data.reset',
  method: 'DELETE',
  path: '/v1/sandbox/data',
  summary: 'Delete the data of the sandbox',
  description:
    'Deletes what the sandbox keeps for the tenant: accounts with their score rows, widget sessions with their decisions, webhook endpoints and finished Idempotency-Keys; with `kind` one of them. All of it is gone at once, and a retry under a deleted key is a new request. Running requests, caps, rate limits and the usage history stay.',
  tag: 'Sandbox',
  auth: 'all',
  group: 'other',
  countsPer: 'partner',
  query: field.closed({
    kind: field.optional(field.oneOf(DATA_KINDS, 'What to delete; without it, all of them.')),
  }),
  success: {
    status: 204,
    description: 'It is deleted, or there was none.',
    schema: Type.Unknown(),
    example: {},
  },
  changes: 'everything',
  errors: ['STORE_UNAVAILABLE'],
  simulate: async ({ partner, tenant, query }, { resetData }) => {
    const kinds = query.kind === undefined ? DATA_KINDS : [query.kind as DataKind]
    try {
      await resetData({ partner: partner.id, tenant }, kinds)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      const refusal = refuse(
        'STORE_UNAVAILABLE',
        'Nothing can be written at the moment; nothing was deleted.',
        {
          retryAfterSeconds: RETRY_SECONDS,
        },
      )
      return { kind: 'refused', refusal, stored: false }
    }
    return { kind: 'done', status: 204, body: {}, records: [], counts: false }
  },
}
