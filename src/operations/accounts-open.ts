import type { Static } from 'typebox'
import { instant } from '../clock.ts'
import * as field from './fields.ts'
import { done, type Operation, pick } from './operation.ts'

const Body = field.closed({
  customerRef: field.CustomerRef,
  phone: field.Phone,
  firstName: field.FirstName,
  lastName: field.LastName,
  email: field.optional(field.Email),
  dateOfBirth: field.optional(field.DateOfBirth),
  country: field.optional(field.Country),
  metadata: field.optional(field.Metadata),
})

export const Account = field.closed({
  accountId: field.AccountId,
  ...Body.properties,
  currency: field.Currency,
  openedAt: field.Instant('When the account was opened.'),
})
export type Account = Static<typeof Account>

const SENT = Object.keys(Body.properties)

const exampleBody = {
  customerRef: 'CUS-0001',
  phone: '+2250700000001',
  firstName: 'Awa',
  lastName: 'Koné',
  country: 'CI',
}

export const accountExample = {
  accountId: 'acc_0VhYx3kQm4Zq9TtB2nR7wLc1d',
  ...exampleBody,
  currency: 'XOF',
  openedAt: '2026-01-15T09:30:00.000Z',
}

export const accountsOpen: Operation = {
  id: 'accounts.open',
  method: 'POST',
  path: '/v1/accounts/open',
  summary: 'Open an account',
  description:
    'Opens an account in XOF. The same customerRef twice opens two accounts; the first one makes a score row for the reference.',
  tag: 'Accounts',
  auth: 'accounts:write',
  group: 'accounts.open',
  countsPer: 'partner',
  cap: { product: 'accounts' },
  creates: 'accounts',
  body: Body,
  success: {
    status: 201,
    description: 'The account.',
    schema: Account,
    location: true,
    example: accountExample,
  },
  errors: [],
  exampleBody,
  simulate: (call, { ids }) => {
    const accountId = ids.next('acc')
    const openedAt = instant(call.now)
    const account = { accountId, ...pick(call.body, SENT), currency: 'XOF', openedAt }
    const customerRef = String(call.body.customerRef)
    return done(201, account, {
      location: `/v1/accounts/${accountId}`,
      records: [
        { kind: 'account', tenant: call.tenant, id: accountId, value: account, ifPresent: 'refuse' },
        // The row's creation is the first account's; later accounts leave it as it is.
        {
          kind: 'score',
          tenant: call.tenant,
          id: customerRef,
          value: { computedAt: openedAt },
          ifPresent: 'keep',
        },
      ],
    })
  },
}
