import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Scope } from '../config/contract.ts'
import type { Partner } from '../config/partners.ts'

/** An active key and what it may do. One object per key as long as its partner is what it is: compare by identity. */
export type ProvenKey = {
  readonly partner: Partner
  readonly keyId: string
  readonly scopes: readonly Scope[]
}

/** Who the partners are and which keys are theirs. Immutable: a reload of the configuration builds another. */
export type Registry = {
  readonly partners: readonly Partner[]
  partner(id: string): Partner | undefined
  /** An active (not revoked) key by id. */
  key(keyId: string): ProvenKey | undefined
  /**
   * The key that client_id (a key id, a tenant or the sandbox key) and client_secret (the sandbox key) prove
   * together, or undefined. Costs the same whether or not the client exists.
   */
  prove(clientId: string, clientSecret: string): ProvenKey | undefined
}

type Provable = {
  readonly proven: ProvenKey | undefined
  readonly secret: Buffer
  readonly id: Buffer
  readonly tenant: Buffer
}

// Keys the digests below. It never leaves the process, so nobody can choose an input that meets a chosen digest.
const processKey = randomBytes(32)

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()
const blind = (data: string | Buffer): Buffer => createHmac('sha256', processKey).update(data).digest()
const lookup = (secret: Buffer): string => blind(secret).toString('base64')

/** What is worked out for one key of a partner, and needed as long as the partner is what it is. */
type KeyEntry = {
  readonly id: string
  readonly lookup: string
  readonly provable: Provable
}

/** Partners never change in place, so what a reload leaves as it is need not be worked out again. */
const worked = new WeakMap<Partner, readonly KeyEntry[]>()

function entriesOf(partner: Partner): readonly KeyEntry[] {
  const known = worked.get(partner)
  if (known !== undefined) return known
  const entries = partner.keys.map((key): KeyEntry => {
    const secret = Buffer.from(key.sha256, 'hex')
    if (secret.length !== 32) throw new Error(`The sha256 of ${key.id} is not 64 hex digits.`)
    const proven = key.revoked === true ? undefined : { partner, keyId: key.id, scopes: heldBy(partner, key) }
    const provable = { proven, secret, id: blind(key.id), tenant: blind(partner.tenant) }
    return { id: key.id, lookup: lookup(secret), provable }
  })
  worked.set(partner, entries)
  return entries
}

/** @throws when two partners or two keys are the same, since a token could then belong to either. */
export function createRegistry(partners: readonly Partner[]): Registry {
  const registering = startRegistering()
  for (const partner of partners) registering.add(partner)
  return registering.done(partners)
}

/** So few that adding them takes a few milliseconds, when all of them are new. */
const SLICE = 200

/** The same in slices, between which everything else goes on. */
export async function createRegistryInSlices(partners: readonly Partner[]): Promise<Registry> {
  const registering = startRegistering()
  for (const [i, partner] of partners.entries()) {
    if (i % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve))
    registering.add(partner)
  }
  return registering.done(partners)
}

function startRegistering() {
  const byPartner = new Map<string, Partner>()
  const byKey = new Map<string, ProvenKey>()
  const bySecret = new Map<string, Provable>()
  const seenKeys = new Set<string>()

  function add(partner: Partner): void {
    if (byPartner.has(partner.id)) throw new Error(`Two partners have the id ${partner.id}.`)
    byPartner.set(partner.id, partner)
    for (const { id, lookup: place, provable } of entriesOf(partner)) {
      if (seenKeys.has(id)) throw new Error(`Two keys have the id ${id}.`)
      seenKeys.add(id)
      // A revoked key takes part, so that its secret cannot live on unnoticed under another id.
      if (bySecret.has(place)) throw new Error(`${id} is the same sandbox key as another one.`)
      bySecret.set(place, provable)
      if (provable.proven !== undefined) byKey.set(id, provable.proven)
    }
  }
  return { add, done: (partners: readonly Partner[]) => registryOf(partners, byPartner, byKey, bySecret) }
}

function registryOf(
  partners: readonly Partner[],
  byPartner: ReadonlyMap<string, Partner>,
  byKey: ReadonlyMap<string, ProvenKey>,
  bySecret: ReadonlyMap<string, Provable>,
): Registry {
  // What an unknown secret is compared with. It matches nothing and proves nothing.
  const decoy: Provable = {
    proven: undefined,
    secret: randomBytes(32),
    id: randomBytes(32),
    tenant: randomBytes(32),
  }

  return {
    partners,
    partner: (id) => byPartner.get(id),
    key: (keyId) => byKey.get(keyId),
    prove(clientId, clientSecret) {
      const secret = sha256(clientSecret)
      // Looked up through a keyed digest: how long a Map takes then says nothing about the secrets in it.
      const found = bySecret.get(lookup(secret)) ?? decoy
      const named = blind(clientId)
      // All four comparisons, always, and no branch between them.
      const rightSecret = Number(timingSafeEqual(secret, found.secret))
      const byKeyId = Number(timingSafeEqual(named, found.id))
      const byTenant = Number(timingSafeEqual(named, found.tenant))
      const bySandboxKey = Number(timingSafeEqual(sha256(clientId), found.secret))
      return (rightSecret & (byKeyId | byTenant | bySandboxKey)) === 1 ? found.proven : undefined
    },
  }
}

/** The same registry without some keys, whatever it says of them: as if they were revoked in it. */
export function withoutKeys(registry: Registry, revoked: ReadonlySet<string>): Registry {
  if (revoked.size === 0) return registry
  return {
    ...registry,
    key: (keyId) => (revoked.has(keyId) ? undefined : registry.key(keyId)),
    prove: (clientId, clientSecret) => {
      const proven = registry.prove(clientId, clientSecret)
      return proven !== undefined && revoked.has(proven.keyId) ? undefined : proven
    },
  }
}

/** The scopes of a key: its own within those of its partner, or its partner's; alphabetical, as in the contract. */
function heldBy(partner: Partner, key: Partner['keys'][number]): readonly Scope[] {
  const held = new Set(
    key.scopes === undefined ? partner.scopes : partner.scopes.filter((s) => key.scopes?.includes(s)),
  )
  return Object.freeze([...held].sort())
}
