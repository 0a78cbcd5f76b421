export const EXAMPLE_REQUEST_ID = 'req_Q2qn9aL2UL1my0I1'

/** What the schemas of an operation are called in generated clients; others are named after their operation. */
const NAMES: Readonly<Record<string, { readonly request?: string; readonly response: string }>> = {
  'auth.token': { request: 'TokenRequest', response: 'Token' },
  'accounts.open': { request: 'AccountRequest', response: 'Account' },
  'accounts.list': { response: 'AccountPage' },
  'kyc.submit': { request: 'KycRequest', response: 'KycDecision' },
  'kyc.widget.session': { request: 'WidgetSessionRequest', response: 'WidgetSession' },
  'kyc.widget.read': { response: 'WidgetSessionState' },
  'kyb.submit': { request: 'KybRequest', response: 'KybDecision' },
  'payments.fund': { request: 'PaymentRequest', response: 'Payment' },
  'payments.cashout': { request: 'PaymentRequest', response: 'Payment' },
  'credit.simulate': { response: 'CreditSimulation' },
  'credit.apply': { request: 'CreditRequest', response: 'CreditDecision' },
  'score.read': { response: 'Score' },
  'webhooks.register': { request: 'WebhookRequest', response: 'RegisteredWebhook' },
  'webhooks.read': { response: 'Webhook' },
  'webhooks.list': { response: 'WebhookPage' },
  'webhooks.ip-ranges': { response: 'IpRanges' },
  'portal.usage': { response: 'Usage' },
}

export function requestName(id: string): string {
  return NAMES[id]?.request ?? `${pascal(id)}Request`
}

export function responseName(id: string): string {
  return NAMES[id]?.response ?? `${pascal(id)}Response`
}

function pascal(id: string): string {
  return id.replaceAll(/(?:^|[^A-Za-z0-9]+)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
