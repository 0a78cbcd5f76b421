import { judgeIdempotencyKey } from '../checks/idempotency-key.ts'
import { parseJson } from '../checks/json.ts'
import { judgeTenant } from '../checks/tenant.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { judgeExchange, proveExchange, readExchange, tokenResponse } from '../tokens/exchange.ts'
import { issueToken } from '../tokens/issue.ts'
import { SigningKeysError } from '../tokens/key-file.ts'
import type { ProvenKey } from '../tokens/registry.ts'
import type { Gateway } from './context.ts'
import type { Exchange } from './exchange.ts'
import { type Reply, rateLimited, refusalReply } from './reply.ts'
import { failureWindows, keyWindow } from './token-windows.ts'
import { readBody } from './wire/body.ts'

const KEY_RETRY_SECONDS = 5

/**
 * POST /auth/token. Its client is in the body, so the body is read before anybody is counted. The secret is
 * always checked: a right one counts only against its key, so guessing never locks a partner out, and a full
 * failure window refuses further wrong ones.
 */
export async function exchangeToken(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { settings, req } = exchange
  const { headers } = req
  const body = await readBody(exchange, settings.config.server.bodyBytes)
  if (body.refusal) return fail(gateway, exchange, body.refusal, '')
  exchange.body = body.bytes
  if (headers['content-encoding'] !== undefined) {
    const encoded = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body is encoded; send it without Content-Encoding.')
    return fail(gateway, exchange, encoded, '')
  }
  const read = readExchange(
    { contentType: headers['content-type'], authorization: headers.authorization, body: body.bytes },
    readJson,
  )
  if (!read.ok) return fail(gateway, exchange, read.refusal, read.namedClient ?? '')
  const proven = proveExchange(read.request, settings.registry)
  const judged = judgeExchange(read.request, proven)
  if (!proven) {
    if (judged.ok) throw new TypeError('an exchange without a proven key cannot be granted')
    return fail(gateway, exchange, judged.refusal, read.request.clientId)
  }

  const now = gateway.clock.now()
  exchange.window = keyWindow(settings, proven.keyId)
  exchange.windowState = await gateway.store.take(exchange.window, now)
  exchange.provenPartner = proven.partner.id
  exchange.provenClient = proven.keyId
  const taped = gateway.replay?.exchange(exchange, now)
  if (taped && 'status' in taped) return taped
  if (exchange.windowState.full) {
    return refusalReply(
      exchange,
      rateLimited(exchange.window, exchange.windowState, now),
      gateway.publicUrl(),
    )
  }
  const refusal = judgeCaller(exchange, proven) ?? (judged.ok ? undefined : judged.refusal)
  if (refusal) return refusalReply(exchange, refusal, gateway.publicUrl())
  // At replay a token has the scopes that the recorded one had.
  const held = (scope: string) => taped?.scopes?.includes(scope) ?? true
  return judged.ok
    ? await grant(gateway, exchange, proven, judged.scopes.filter(held))
    : refusalReply(exchange, judged.refusal, gateway.publicUrl())
}

function judgeCaller({ req, settings }: Exchange, proven: ProvenKey): Refusal | undefined {
  const mismatch = judgeTenant(req.headers['x-tenant-id'], proven.partner.tenant)
  if (mismatch) return mismatch
  // Where an operator requires the key, only its form is judged: a stored token would be a secret on disk.
  if (settings.config.idempotency.tokenExchange !== 'required') return undefined
  return judgeIdempotencyKey(req.headers['idempotency-key']).refusal
}

async function grant(
  gateway: Gateway,
  exchange: Exchange,
  proven: ProvenKey,
  scopes: readonly string[],
): Promise<Reply> {
  const { tokens } = exchange.settings.config
  try {
    const issued = await issueToken({
      proven,
      scopes,
      issuer: gateway.issuer(),
      audience: tokens.audience,
      lifetimeSeconds: tokens.lifetimeSeconds,
      signingKeys: gateway.signingKeys,
      clock: gateway.clock,
    })
    return {
      status: 200,
      headers: { 'content-type': 'application/json', pragma: 'no-cache' },
      body: JSON.stringify(tokenResponse(issued)),
    }
  } catch (error) {
    if (!(error instanceof SigningKeysError)) throw error
    gateway.logger.error({ err: error, requestId: exchange.requestId }, 'no signing key')
    const refusal = refuse('STORE_UNAVAILABLE', 'There is no signing key at the moment.', {
      retryAfterSeconds: KEY_RETRY_SECONDS,
    })
    return refusalReply(exchange, refusal, gateway.publicUrl())
  }
}

/** Counts a failed exchange: the pair first, and the address only with a pair that still has room. */
async function fail(
  gateway: Gateway,
  exchange: Exchange,
  refusal: Refusal,
  namedClient: string,
): Promise<Reply> {
  const now = gateway.clock.now()
  const taped = gateway.replay?.exchange(exchange, now)
  if (taped && 'status' in taped) return taped
  const { pair, address } = failureWindows(
    exchange.settings,
    gateway.store.secret(),
    exchange.client,
    namedClient,
  )
  const ofPair = await gateway.store.take(pair, now)
  const ofAddress = ofPair.full ? undefined : await gateway.store.take(address, now)
  const addressIsTighter =
    ofAddress !== undefined && (ofAddress.full || ofAddress.remaining < ofPair.remaining)
  exchange.window = addressIsTighter ? address : pair
  const state = addressIsTighter && ofAddress ? ofAddress : ofPair
  exchange.windowState = state
  const shown = state.full ? rateLimited(exchange.window, state, now) : refusal
  return refusalReply(exchange, shown, gateway.publicUrl())
}

function readJson(body: Buffer) {
  const parsed = parseJson(body)
  return parsed.ok ? { ok: true as const, value: parsed.json.value } : parsed
}
