import { demoCredentials } from '../config/demo.ts'
import type { Config } from '../config/schema.ts'
import { firstCall } from './first-call.ts'

/**
 * What a person sees after the start: where it listens and, while the published demo key is active, a first call
 * to paste. The configuration sees to it that the demo key works on loopback only.
 */
export function welcome(config: Config, urls: { partnerUrl: string; operatorUrl: string }): string {
  const lines = [
    '',
    `  Sandgate answers partners on ${urls.partnerUrl} (open it in a browser; reference: /docs, usage: /portal/usage)`,
    `  and operators on ${urls.operatorUrl} (open it in a browser; /metrics, /readyz).`,
    '',
  ]
  const demo = demoCredentials(config)
  if (demo === undefined) return lines.join('\n')
  return [
    ...lines,
    `  Demo credentials: client_id ${demo.clientId}, client_secret ${demo.clientSecret}`,
    '  A token, then a payment (paste both; paste the second one again to see it replayed):',
    '',
    firstCall(urls.partnerUrl, demo.clientId, demo.clientSecret),
    '',
  ].join('\n')
}
