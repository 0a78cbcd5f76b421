import { Account, accountExample } from './accounts-open.ts'
import type { Operation } from './operation.ts'
import { judgeCursor, PageQuery, page, pageOf } from './paging.ts'

export const accountsList: Operation = {
  id: 'accounts.list',
  method: 'GET',
  path: '/v1/accounts',
  summary: 'List accounts',
  description: 'The accounts of the tenant, newest first, a page at a time.',
  tag: 'Accounts',
  auth: 'accounts:read',
  group: 'other',
  countsPer: 'partner',
  query: PageQuery,
  success: {
    status: 200,
    description: 'A page of accounts.',
    schema: pageOf(Account),
    example: { items: [accountExample], nextCursor: null },
  },
  shows: 'list',
  errors: [],
  exampleQuery: { limit: 20 },
  judge: judgeCursor('acc'),
  simulate: (call, simulation) => page(call, simulation, 'account', 'acc'),
}
