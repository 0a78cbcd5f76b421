import type { Callers } from '../cassettes/matching/callers.ts'
import { SCOPES } from '../config/contract.ts'
import type { Partner } from '../config/partners.ts'
import { getOrMake } from '../map-entries.ts'
import { isPublicClientId } from '../tokens/client-id.ts'
import type { ProvenKey, Registry } from '../tokens/registry.ts'

/** Whoever is asking when nobody is named. */
const NOBODY = 'key_replay'

/** Of a client of whom nobody knows the tenant. */
const UNKNOWN_TENANT = 'tn_sandbox_replay'

/** The partners of a replay: one for each tenant, since X-Tenant-Id is judged live. They share their windows. */
const PARTNER_ID = 'replay'

/** Who stands for the clients of a tape while nothing of a configuration counts. */
export const REPLAY_PARTNER: Partner = {
  id: PARTNER_ID,
  name: 'Replay',
  tenant: UNKNOWN_TENANT,
  scopes: [...SCOPES],
  keys: [],
}

export type AnySecret = Registry & {
  /** A proven client for who has named none. */
  readonly anyClient: () => ProvenKey
}

/**
 * Any client id with any secret is a key. Its tenant is the one that the recording knows of it, and its partner holds
 * the scopes that it was granted there: what needs all of them needs no others. `lanes`: the recorded
 * ones, among which a client with a secret name finds its own as the recorder has named it, in the order in which
 * such clients appear.
 */
export function anySecret(
  callers: Pick<Callers, 'tenantsOf' | 'scopesOf'>,
  lanes: ReadonlySet<string>,
): AnySecret {
  const keys = new Map<string, ProvenKey>()
  const hidden = new Map<string, string>()

  const keyOf = (keyId: string): ProvenKey => {
    const [tenant = UNKNOWN_TENANT] = callers.tenantsOf(keyId)
    const granted = callers.scopesOf(keyId)
    const held = SCOPES.filter((scope) => granted?.includes(scope) ?? true)
    const partner = { ...REPLAY_PARTNER, tenant, scopes: held }
    return { partner, keyId, scopes: REPLAY_PARTNER.scopes }
  }
  const proven = (keyId: string) => getOrMake(keys, keyId, () => keyOf(keyId))
  /** A client id may be a sandbox key: what names a lane and stands in a token is another name for it. */
  const nameOf = (clientId: string): string => {
    if (isPublicClientId(clientId)) return clientId
    return getOrMake(hidden, clientId, () => {
      const n = hidden.size + 1
      return lanes.has(`client-${n}`) ? `client-${n}` : `${NOBODY}${n === 1 ? '' : `-${n}`}`
    })
  }
  return {
    partners: [REPLAY_PARTNER],
    partner: (id) => (id === PARTNER_ID ? REPLAY_PARTNER : undefined),
    key: (keyId) => keys.get(keyId),
    prove: (clientId, clientSecret) =>
      clientId === '' || clientSecret === '' ? undefined : proven(nameOf(clientId)),
    anyClient: () => proven(NOBODY),
  }
}
