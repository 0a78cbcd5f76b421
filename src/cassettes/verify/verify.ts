import { headerOf } from '../../http/header-lines.ts'
import type { CapturedReply, CapturedRequest, Cassette, Interaction } from '../interaction.ts'
import { isTokenExchange } from '../matching/edge-answers.ts'
import { readPlaceKey } from '../message/place.ts'
import { valuesOf } from '../message/values.ts'
import { driftOf } from './drift.ts'
import { createLiveValues } from './live-values.ts'
import type { Drift, EntryRef, VerifyReport } from './report.ts'
import { prepareRequest } from './request.ts'
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
  const { credentials, newKey, tenant } = options
  const values = createLiveValues()
  const varies = variations(cassette.interactions)
  const volatile = new Set(
    [...cassette.volatile, ...(options.volatile ?? [])].map((name) => name.toLowerCase()),
  )
  const keys = new Map<string, string>()
  const keyOf = (lane: string, recorded: string): string => {
    const name = `${lane}\0${recorded}`
    const key = keys.get(name) ?? newKey()
    keys.set(name, key)
    return key
  }
  const send = patient(options)
  let token: Promise<string> | undefined
  const defaultToken = () => {
    token ??= fetchToken(send, credentials)
    return token
  }

  let verified = 0
  const drifts: (EntryRef & Drift)[] = []
  const skipped: (EntryRef & { reason: string })[] = []
  for (const interaction of [...cassette.interactions].sort((a, b) => a.sequence - b.sequence)) {
    const ref = refOf(interaction)
    const skip = (reason: string) => skipped.push({ ...ref, reason })
    const reason = reasonToSkip(interaction)
    if (reason !== undefined) {
      skip(reason)
      continue
    }
    const isExchange = isTokenExchange(interaction)
    const request = isExchange ? liveExchange(interaction, credentials) : interaction.request
    const authorization = isExchange
      ? { kind: 'ready' as const, value: headerOf(request.headers, 'authorization') }
      : await liveAuthorization(interaction, values, defaultToken)
    if (authorization.kind === 'skip') {
      skip(authorization.reason)
      continue
    }
    // A tenant that was refused is the point of its entry.
    const ownTenant = refusalCode(interaction) === 'PARTNER_MISMATCH'
    const live = prepareRequest(
      { ...interaction, request },
      { values, keyOf, authorization: authorization.value, tenant: ownTenant ? undefined : tenant },
    )
    if (live.kind === 'missing') {
      skip(`it needs a live ${live.type}, which no reply has held`)
      continue
    }
    const reply = await send(live.request)
    verified++
    const found = driftOf(interaction, reply, {
      origin: cassette.origin,
      volatile,
      varies: (pointer) => varies.get(identityOf(interaction))?.has(pointer) ?? false,
    })
    drifts.push(...found.map((drift) => ({ ...ref, ...drift })))
    if (reply.status === interaction.reply?.status) values.learn(interaction, reply)
  }
  return { verified, drifts, skipped }
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
