import Type from 'typebox'
import { instant } from '../clock.ts'
import { refuse } from '../errors/refusal.ts'
import * as field from './fields.ts'
import { done, type Fields, type Operation } from './operation.ts'
import { judgeCursor, PageQuery, page, pageOf } from './paging.ts'
import { eventWarnings } from './webhook-events.ts'

const never = (description: string) =>
  Type.Unsafe<false>({ type: 'boolean', enum: [false], description, examples: [false] })

const webhookFields = {
  webhookId: field.WebhookId,
  url: field.WebhookUrl,
  events: field.EventNames,
  createdAt: field.Instant('When the endpoint was registered.'),
  secretStored: never('Always false: a signing secret is not stored.'),
  delivered: never('Always false: the URL is never called in the sandbox.'),
  liveDelivery: never('Always false: the sandbox delivers nothing.'),
}

const Webhook = field.closed(webhookFields)

const RegisteredWebhook = field.closed({
  ...webhookFields,
  warnings: field.optional(
    Type.Array(
      field.closed({
        pointer: Type.String({ description: 'Where in the request.', examples: ['#/events/0'] }),
        detail: Type.String({ description: 'What is odd about it.' }),
      }),
      {
        maxItems: 50,
        description: 'What was accepted and may be a mistake: event names that production has not.',
      },
    ),
  ),
})

const example = {
  webhookId: 'wh_0VhYx3kQm4Zq9TtB2nR7wLc1d',
  url: 'https://partner.example.com/hooks/sandgate',
  events: ['payment.decided'],
  createdAt: '2026-01-15T09:30:00.000Z',
  secretStored: false,
  delivered: false,
  liveDelivery: false,
}

const row = { tag: 'Webhooks', group: 'other', countsPer: 'partner' } as const

export const webhooksRegister: Operation = {
  ...row,
  id: 'webhooks.register',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Register a webhook endpoint',
  description:
    'Stores the URL and the event names. The URL is never called, and a signing secret is not stored. A name that production has no event of is stored as well, and named in `warnings`.',
  auth: 'webhooks:register',
  creates: 'webhooks',
  body: field.closed({
    url: field.WebhookUrl,
    events: field.EventNames,
    signingSecret: field.optional(field.SigningSecret),
  }),
  success: {
    status: 201,
    description: 'The stored endpoint.',
    schema: RegisteredWebhook,
    location: true,
    example,
  },
  errors: [],
  exampleBody: { url: example.url, events: example.events },
  simulate: (call, { ids }) => {
    const webhookId = ids.next('wh')
    // The signing secret goes no further than the validated body.
    const webhook = {
      webhookId,
      url: call.body.url,
      events: call.body.events,
      createdAt: instant(call.now),
      secretStored: false,
      delivered: false,
      liveDelivery: false,
    }
    const warnings = eventWarnings(call.body.events as readonly string[])
    const answer = warnings.length > 0 ? { ...webhook, warnings } : webhook
    return done(201, answer, {
      location: `/v1/webhooks/${webhookId}`,
      records: [{ kind: 'webhook', tenant: call.tenant, id: webhookId, value: webhook, ifPresent: 'refuse' }],
    })
  },
}

export const webhooksList: Operation = {
  ...row,
  id: 'webhooks.list',
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'List webhook endpoints',
  description: 'The registered endpoints of the tenant, newest first, a page at a time.',
  auth: 'webhooks:register',
  query: PageQuery,
  success: {
    status: 200,
    description: 'A page of endpoints.',
    schema: pageOf(Webhook),
    example: { items: [example], nextCursor: null },
  },
  shows: 'list',
  errors: [],
  judge: judgeCursor('wh'),
  simulate: (call, simulation) => page(call, simulation, 'webhook', 'wh'),
}

export const webhooksRead: Operation = {
  ...row,
  id: 'webhooks.read',
  method: 'GET',
  path: '/v1/webhooks/{webhookId}',
  summary: 'Read a webhook endpoint',
  description: 'One registered endpoint of the tenant.',
  auth: 'webhooks:register',
  params: { webhookId: field.WebhookId },
  success: { status: 200, description: 'The endpoint.', schema: Webhook, example },
  errors: ['WEBHOOK_NOT_FOUND'],
  simulate: async (call, { records }) => {
    const webhook = await records.get<Fields>('webhook', call.tenant, call.params.webhookId ?? '', call.now)
    if (webhook) return done(200, webhook)
    const refusal = refuse('WEBHOOK_NOT_FOUND', 'The tenant has no webhook endpoint with this webhookId.')
    return { kind: 'refused', refusal, stored: false }
  },
}

export const webhooksIpRanges: Operation = {
  ...row,
  id: 'webhooks.ip-ranges',
  method: 'GET',
  path: '/v1/webhooks/ip-ranges',
  summary: 'List outbound CIDR blocks',
  description: 'Where webhooks will come from in production; empty until the operator confirms the blocks.',
  auth: 'any',
  success: {
    status: 200,
    description: 'The CIDR blocks.',
    schema: field.closed({
      ipRanges: Type.Array(field.closed({ cidr: Type.String({ examples: ['203.0.113.0/24'] }) })),
      confirmed: Type.Boolean({ description: 'True when the list is not empty.' }),
    }),
    example: { ipRanges: [], confirmed: false },
  },
  errors: [],
  simulate: (_call, { config }) => {
    const ipRanges = config.webhooks.ipRanges.map((cidr) => ({ cidr }))
    return done(200, { ipRanges, confirmed: ipRanges.length > 0 })
  },
}
