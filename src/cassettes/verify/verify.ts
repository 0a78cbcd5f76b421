import { headerOf } from '../../http/header-lines.ts'
import { getOrMake } from '../../map-entries.ts'
import { once } from '../../once.ts'
import type { CapturedReply, CapturedRequest, Cassette, Interaction } from '../interaction.ts'
import { isTokenExchange } from '../matching/edge-answers.ts'
import { readPlaceKey } from '../message/place.ts'
import { valuesOf } from '../message/values.ts'
import { createCleaner, shownDrift } from './clean-drift.ts'
import { driftOf } from './drift.ts'
import { createLiveValues } from './live-values.ts'
import type { Drift, EntryRef, VerifyReport } from './report.ts'
import { prepareRequest, type RequestContext } from './request.ts'
import { reasonToSkip, refusalCode } from './skip.ts'
import { type Credentials, fetchToken, liveAuthorization, liveExchange } from './token.ts'

export type VerifyOptions = {
  /** Sends one request to the sandbox. What it throws ends the verification. */
  readonly send: (request: CapturedRequest) => Promise<CapturedReply>
  readonly credentials: Credentials
  /** A fresh Idempotency-Key. */
  readonly newKey: () => string
  readonly wait: (ms: number) => Promise<void>
  /** Replaces the recorded X-Tenant-Id. */
  readonly tenant?: string
  /** Names of fields whose values may differ, beside those of the cassette. */
  readonly volatile?: readonly string[]
}

/** A rate window ends within a minute. */
const MAX_WAIT_MS = 90_000
const MAX_WAITS = 3

/**
 * Sends what was recorded, in its order and one after the other, and compares the replies with the recorded ones.
 * Values that the live server makes take the place of the recorded ones in what is sent later.
 *
 * @throws TokenError, and what `send` throws.
 */
export async function verifyCassette(cassette: Cassette, options: VerifyOptions): Promise<VerifyReport> {
  const values = createLiveValues()
  const varies = variations(cassette.interactions)
  const names = [...cassette.volatile, ...(options.volatile ?? [])].map((name) => name.toLowerCase())
  const volatile = new Set(names)
  const send = patient(options)
  const preparation: Preparation = {
    ...options,
    values,
    keyOf: createKeys(options.newKey),
    defaultToken: once(() => fetchToken(send, options.credentials)),
  }

  const cleaner = createCleaner(cassette)

  let verified = 0
  const drifts: (EntryRef & Drift)[] = []
  const skipped: (EntryRef & { reason: string })[] = []
  for (const interaction of [...cassette.interactions].sort((a, b) => a.sequence - b.sequence)) {
    const ref = refOf(interaction)
    const prepared = await prepare(interaction, preparation)
    if (prepared.kind === 'skip') {
      skipped.push({ ...ref, reason: prepared.reason })
      continue
    }
    const reply = await send(prepared.request)
    verified++
    const found = driftOf(interaction, reply, {
      origin: cassette.origin,
      volatile,
      varies: (pointer) => varies.get(identityOf(interaction))?.has(pointer) ?? false,
    })
    const clean = cleaner(prepared.request, reply)
    drifts.push(...found.map((drift) => ({ ...ref, ...shownDrift(drift, clean) })))
    if (reply.status === interaction.reply?.status) values.learn(interaction, reply)
  }
  return { verified, drifts, skipped }
}

type Preparation = Pick<VerifyOptions, 'credentials' | 'tenant'> &
  Pick<RequestContext, 'values' | 'keyOf'> & {
    /** A token for every scope of the key. */
    readonly defaultToken: () => Promise<string>
  }

type Prepared =
  | { readonly kind: 'ready'; readonly request: CapturedRequest }
  | { readonly kind: 'skip'; readonly reason: string }

/** The request as it is sent today, or why the entry says nothing about today's sandbox. */
async function prepare(
  interaction: Interaction,
  { credentials, tenant, values, keyOf, defaultToken }: Preparation,
): Promise<Prepared> {
  const reason = reasonToSkip(interaction)
  if (reason !== undefined) return { kind: 'skip', reason }
  const isExchange = isTokenExchange(interaction)
  const request = isExchange ? liveExchange(interaction, credentials) : interaction.request
  const authorization = isExchange
    ? { kind: 'ready' as const, value: headerOf(request.headers, 'authorization') }
    : await liveAuthorization(interaction, values, defaultToken)
  if (authorization.kind === 'skip') return authorization
  // A tenant that was refused is the point of its entry.
  const ownTenant = refusalCode(interaction) === 'PARTNER_MISMATCH'
  const live = prepareRequest(
    { ...interaction, request },
    { values, keyOf, authorization: authorization.value, tenant: ownTenant ? undefined : tenant },
  )
  if (live.kind === 'ready') return live
  return { kind: 'skip', reason: `it needs a live ${live.type}, which no reply has held` }
}

/** A fresh Idempotency-Key for each recorded one of a lane. */
function createKeys(newKey: () => string): RequestContext['keyOf'] {
  const keys = new Map<string, string>()
  return (lane, recorded) => {
    return getOrMake(keys, `${lane}\0${recorded}`, newKey)
  }
}

/** Waits when the sandbox says that we are too fast: the recording had taken its time. */
function patient({ send, wait }: VerifyOptions): VerifyOptions['send'] {
  return async (request) => {
    for (let waits = 0; ; waits++) {
      const reply = await send(request)
      if (reply.status !== 429 || waits === MAX_WAITS) return reply
      const seconds = Number(headerOf(reply.headers, 'retry-after'))
      await wait(Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1) * 1000, MAX_WAIT_MS) : 1000)
    }
  }
}

/** For each request that was recorded more than once: the places of its replies where the recording itself differs. */
function variations(interactions: readonly Interaction[]): Map<string, Set<string>> {
  const first = new Map<string, Map<string, string>>()
  const varies = new Map<string, Set<string>>()
  for (const interaction of interactions) {
    if (interaction.request.method !== 'GET') continue
    const id = identityOf(interaction)
    const values = valuesOf(interaction)
    const before = first.get(id)
    if (before === undefined) {
      first.set(id, values)
      continue
    }
    const places = varies.get(id) ?? new Set()
    varies.set(id, places)
    for (const [key, value] of values) {
      const { part, pointer } = readPlaceKey(key)
      if (part === 'reply-body' && before.get(key) !== value) places.add(pointer)
    }
  }
  return varies
}

function identityOf({ lane, request }: Interaction): string {
  return `${lane}\0${request.method}\0${request.target}`
}

function refOf({ sequence, request }: Interaction): EntryRef {
  return { sequence, title: `${request.method} ${request.target}` }
}
