import { SCOPES } from '../../config/contract.ts'
import { type HeaderLine, headerOf, isNamed } from '../../http/header-lines.ts'
import { getOrMake } from '../../map-entries.ts'
import { rowOf } from '../../operations/operations.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import {
  ANYBODY,
  type CallerFacts,
  cookiesAmong,
  cookiesOf,
  NO_TOKEN,
  type TenantFact,
  type TokenFact,
  tokenFactOf,
} from '../message/caller-facts.ts'
import { grantOf } from '../message/granted-token.ts'
import { bodyValue } from '../message/readable-body.ts'
import { isTokenExchange, scopesOf } from './edge-answers.ts'

/** The clients that a recording knows, and what it knows of them. */
export type Callers = {
  readonly factsOf: (cassette: Cassette, interaction: Interaction) => CallerFacts
  /** By the name that `factsOf` gives them. */
  readonly clients: ReadonlySet<string>
  /** All scopes that were granted; undefined when nothing was. */
  readonly scopes: readonly string[] | undefined
  /** The scopes that a client was granted, in any of its exchanges; undefined when nothing was. */
  readonly scopesOf: (client: string) => readonly string[] | undefined
  /** Whether a mark stands for a token that a recorded exchange has granted. */
  readonly isGranted: (mark: string) => boolean
  /**
   * The tenants that the exchanges of a client accepted or told; of a client that was not recorded, those of all.
   * Empty: nobody knows.
   */
  readonly tenantsOf: (client: string) => ReadonlySet<string>
  /** The names of cookies that may make a difference: the sandbox has set them, or was sent several values. */
  readonly cookies: ReadonlySet<string>
}

type Grant = { readonly client: string; readonly scopes: string }

type Known = {
  /** The mark of a token -> what it was granted for. */
  readonly grants: ReadonlyMap<string, Grant>
  /** Lane -> the one grant that it has; undefined when it has several. */
  readonly ofLane: ReadonlyMap<string, Grant | undefined>
}

const NOBODY: ReadonlySet<string> = new Set()

/** Reads the exchanges of the cassettes. What else an interaction says of its caller is read when it is asked for. */
export function readCallers(cassettes: readonly Cassette[]): Callers {
  const known = new Map<Cassette, Known>()
  const tenants = new Map<string, Set<string>>()
  const clients = new Set<string>()
  for (const cassette of cassettes) {
    const ofCassette = readGrants(cassette)
    known.set(cassette, ofCassette)
    for (const { client } of ofCassette.grants.values()) clients.add(client)
    for (const interaction of cassette.interactions) {
      const tenant = acceptedTenant(interaction)
      if (tenant === undefined) continue
      const token = recordedToken(ofCassette, interaction)
      getOrMake(tenants, clientOf(token, interaction), () => new Set<string>()).add(tenant)
    }
  }
  const all = new Set([...tenants.values()].flatMap((some) => [...some]))
  const tenantsOf = (client: string) => tenants.get(client) ?? (clients.has(client) ? NOBODY : all)
  const cookies = tellingCookies(cassettes)
  const grants = [...known.values()].flatMap((each) => [...each.grants.values()])
  return {
    clients,
    scopes: unionOf(grants),
    scopesOf: (client) => unionOf(grants.filter((grant) => grant.client === client)),
    isGranted: (mark) => [...known.values()].some(({ grants }) => grants.has(mark)),
    tenantsOf,
    cookies,
    factsOf: (cassette, interaction) => {
      const { headers } = interaction.request
      if (isTokenExchange(interaction)) {
        const client = exchangingClient(interaction)
        const tenant = tenantFact(headerOf(headers, 'x-tenant-id'), tenantsOf(client))
        return { ...ANYBODY, token: exchangingToken(headers, client), tenant }
      }
      const token = recordedToken(known.get(cassette), interaction)
      const client = clientOf(token, interaction)
      return {
        token,
        tenant: tenantFact(headerOf(headers, 'x-tenant-id'), tenantsOf(client)),
        cookies: cookiesAmong(headers, cookies),
      }
    },
  }
}

/** In a token exchange the header Authorization holds the client itself, who is known by its name. */
export function exchangingToken(headers: readonly HeaderLine[], client: string): TokenFact {
  // Some clients put their last token on every request, this one included.
  if (!/^basic\b/i.test(headerOf(headers, 'authorization') ?? '')) return NO_TOKEN
  return { kind: 'granted', client, scopes: '', isRecorded: true }
}

/** What a tenant that is named is to a client. Of several that were accepted each stands for itself. */
export function tenantFact(header: string | undefined, tenants: ReadonlySet<string>): TenantFact {
  if (header === undefined) return 'absent'
  if (tenants.size === 0) return `=${header}`
  if (!tenants.has(header)) return 'another'
  return tenants.size === 1 ? 'own' : `=${header}`
}

function recordedToken(known: Known | undefined, interaction: Interaction): TokenFact {
  const { request, reply, began, lane } = interaction
  return tokenFactOf(request.headers, (mark): TokenFact => {
    const grant = known?.grants.get(mark)
    if (grant) return { kind: 'granted', ...grant, isRecorded: true }
    const isRefused = reply?.status === 401
    // A recording that was gone on with has sent other tokens than the one it began with, for the same clients.
    const ofLane = began === undefined || isRefused ? undefined : known?.ofLane.get(lane)
    if (ofLane) return { kind: 'granted', ...ofLane, isRecorded: true }
    return { kind: 'unknown', value: mark, isRefused }
  })
}

function clientOf(token: TokenFact, interaction: Interaction): string {
  if (isTokenExchange(interaction)) return exchangingClient(interaction)
  // Who has no granted token is known by the lane alone.
  return token.kind === 'granted' ? token.client : interaction.lane
}

function readGrants({ interactions }: Cassette): Known {
  const grants = new Map<string, Grant>()
  const ofLane = new Map<string, Grant | undefined>()
  for (const interaction of interactions) {
    const { reply, lane } = interaction
    const granted = isTokenExchange(interaction) && reply ? grantOf(reply) : undefined
    if (!granted) continue
    const grant = { client: exchangingClient(interaction), scopes: grantedScopes(interaction) }
    grants.set(granted.token, grant)
    const before = ofLane.get(lane)
    const isAnother = ofLane.has(lane) && (before?.client !== grant.client || before.scopes !== grant.scopes)
    ofLane.set(lane, isAnother ? undefined : grant)
  }
  return { grants, ofLane }
}

function unionOf(grants: readonly Grant[]): readonly string[] | undefined {
  if (grants.length === 0) return undefined
  return [...new Set(grants.flatMap(({ scopes }) => scopes.split(' ')))].filter((scope) => scope !== '')
}

/** In one order, so that two lists of one meaning are one text. */
export function scopeText(scopes: readonly string[]): string {
  return [...new Set(scopes)].sort().join(' ')
}

/** The scopes of the token that an exchange has granted: told, else asked for, else every one. */
export function grantedScopes(interaction: Interaction): string {
  const told = scopesOf(interaction)
  if (told.length > 0) return scopeText(told)
  const asked = bodyValue(interaction.request, '/scope')
  const scopes = asked?.split(' ').filter((scope) => scope !== '') ?? []
  return scopeText(scopes.length > 0 ? scopes : SCOPES)
}

/**
 * Whom a token exchange names: its public client id, else its lane where that names a client, else the mark that
 * stands for it.
 */
function exchangingClient({ request, lane }: Interaction): string {
  const named = bodyValue(request, '/client_id')
  if (named !== undefined && isPublicClientId(named)) return named
  if (isPublicClientId(lane) || /^client-[0-9]+$/.test(lane)) return lane
  return named ?? headerOf(request.headers, 'authorization') ?? lane
}

/** A tenant that the recorded sandbox accepted, in a header or as the client id of an exchange, or told. */
function acceptedTenant(interaction: Interaction): string | undefined {
  const { request, reply, operation } = interaction
  if (!reply || reply.status >= 300) return undefined
  const header = headerOf(request.headers, 'x-tenant-id')
  if (header !== undefined) return header
  const isGrant = isTokenExchange(interaction)
  if (!isGrant && rowOf(operation)?.shows !== 'usage') return undefined
  const text = Buffer.from(isGrant ? request.body : reply.body).toString('latin1')
  return /tn_sandbox_[A-Za-z0-9_-]{1,60}/.exec(text)?.[0]
}

function tellingCookies(cassettes: readonly Cassette[]): ReadonlySet<string> {
  const found = new Set<string>()
  const seen = new Map<string, string>()
  for (const { interactions } of cassettes) {
    for (const { request, reply } of interactions) {
      for (const [name, value] of cookiesOf(request.headers)) {
        if (getOrMake(seen, name, () => value) !== value) found.add(name)
      }
      for (const [name, value] of reply?.headers ?? []) {
        if (!isNamed(name, 'set-cookie')) continue
        const cookie = value.split('=', 1)[0]?.trim()
        if (cookie) found.add(cookie)
      }
    }
  }
  return found
}
