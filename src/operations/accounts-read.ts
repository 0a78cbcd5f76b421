import { refuse } from '../errors/refusal.ts'
import { Account, accountExample } from './accounts-open.ts'
import * as field from './fields.ts'
import { done, type Operation } from './operation.ts'

export const accountNotFound = () =>
  refuse('ACCOUNT_NOT_FOUND', 'The tenant has no account with this accountId.')

export const accountsRead: Operation = {
  id: 'accounts.read',
  method: 'GET',
  path: '/v1/accounts/{accountId}',
  summary: 'Read an account',
  description: 'One account of the tenant. An account of another tenant is not found.',
  tag: 'Accounts',
  auth: 'accounts:read',
  group: 'other',
  countsPer: 'partner',
  params: { accountId: field.AccountId },
  success: { status: 200, description: 'The account.', schema: Account, example: accountExample },
  errors: ['ACCOUNT_NOT_FOUND'],
  simulate: async (call, { records }) => {
    const account = await records.get<Account>('account', call.tenant, call.params.accountId ?? '', call.now)
    return account ? done(200, account) : { kind: 'refused', refusal: accountNotFound(), stored: false }
  },
}
