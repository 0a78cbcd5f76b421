import { judgeIdempotencyKey } from '../checks/idempotency-key.ts'
import { parseJson } from '../checks/json.ts'
import { judgeTenant } from '../checks/tenant.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import type { ProvenKey } from '../tokens/registry.ts'
import { judgeTokenRequest, proveClient, readTokenRequest } from '../tokens/token-request.ts'
import type { Outcome } from './answerer.ts'
import type { Gateway } from './context.ts'
import { countFailure } from './count-failure.ts'
import type { Exchange } from './exchange.ts'
import { enter, receiveBody } from './receive.ts'
import { rateLimited } from './reply.ts'
import { keyWindow } from './token-windows.ts'

/**
 * POST /auth/token. Its client is in the body, so the body is read before anybody is counted. The secret is
 * always checked: a right one counts only against its key, so guessing never locks a partner out, and a full
 * failure window refuses further wrong ones.
 */
export async function exchangeToken(gateway: Gateway, exchange: Exchange): Promise<Outcome> {
  const { settings, req } = exchange
  const { headers } = req
  const body = await receiveBody(gateway, exchange, false)
  const busy = enter(gateway, exchange)
  if (busy) return busy
  if (body.bytes) exchange.body = body.bytes
  if (body.refusal) return fail(gateway, exchange, body.refusal, '')
  if (headers['content-encoding'] !== undefined) {
    const encoded = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body is encoded; send it without Content-Encoding.')
    return fail(gateway, exchange, encoded, '')
  }
  const read = readTokenRequest(
    { contentType: headers['content-type'], authorization: headers.authorization, body: body.bytes },
    readJson,
  )
  if (!read.ok) return fail(gateway, exchange, read.refusal, read.namedClient ?? '')
  const proven = proveClient(read.request, settings.registry)
  const judged = judgeTokenRequest(read.request, proven)
  if (!proven) {
    if (judged.ok) throw new TypeError('an exchange without a proven key cannot be granted')
    return fail(gateway, exchange, judged.refusal, read.request.clientId)
  }

  const now = gateway.clock.now()
  exchange.window = keyWindow(settings, proven.keyId)
  exchange.windowState = await gateway.store.take(exchange.window, now)
  exchange.provenPartner = proven.partner.id
  exchange.provenClient = proven.keyId
  const refusal = exchange.windowState.full
    ? rateLimited(exchange.window, exchange.windowState, now)
    : judgeProven(exchange, proven)
  const refused = refusal ?? (judged.ok ? undefined : judged.refusal)
  if (refused) return (await gateway.answerer.refused(exchange, refused, now)) ?? refused
  if (!judged.ok) throw new TypeError('a refusal of a proven exchange is sent')
  return gateway.answerer.grant(exchange, proven, judged.value, now)
}

function judgeProven({ req, settings }: Exchange, proven: ProvenKey): Refusal | undefined {
  const mismatch = judgeTenant(req.headers['x-tenant-id'], proven.partner.tenant)
  if (mismatch) return mismatch
  // Where an operator requires the key, only its form is judged: a stored token would be a secret on disk.
  if (settings.config.idempotency.tokenExchange !== 'required') return undefined
  return judgeIdempotencyKey(req.headers['idempotency-key']).refusal
}

/** A failed exchange is counted; a full window beats the reason why it failed. */
async function fail(
  gateway: Gateway,
  exchange: Exchange,
  refusal: Refusal,
  namedClient: string,
): Promise<Outcome> {
  exchange.namedClient = namedClient
  const shown = (await countFailure(gateway, exchange, namedClient)) ?? refusal
  return (await gateway.answerer.refused(exchange, shown, gateway.clock.now())) ?? shown
}

function readJson(body: Buffer) {
  const parsed = parseJson(body)
  return parsed.ok ? { ok: true as const, value: parsed.value.value } : parsed
}
