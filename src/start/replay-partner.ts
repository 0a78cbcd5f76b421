import type { Cassette, Interaction } from '../cassettes/interaction.ts'
import { SCOPES } from '../config/contract.ts'
import type { Partner } from '../config/partners.ts'
import { headerOf } from '../http/header-lines.ts'
import { grantsToken, rowOf } from '../operations/operations.ts'
import { isKeyId } from '../tokens/client-id.ts'
import type { ProvenKey, Registry } from '../tokens/registry.ts'

const UNKNOWN_TENANT = 'tn_sandbox_replay'

/**
 * One partner that stands for the clients of the tape: any client id with any secret is one of its keys. Its tenant
 * is the recorded one, because X-Tenant-Id is judged live.
 */
export function replayPartner(cassettes: readonly Cassette[]): Partner {
  const tenant = recordedTenant(cassettes) ?? UNKNOWN_TENANT
  return { id: 'replay', name: 'Replay', tenant, scopes: [...SCOPES], keys: [] }
}

export function anySecret(partner: Partner): Registry {
  const keys = new Map<string, ProvenKey>()
  const keyOf = (keyId: string): ProvenKey => {
    const known = keys.get(keyId) ?? { partner, keyId, scopes: partner.scopes }
    keys.set(keyId, known)
    return known
  }
  return {
    partners: [partner],
    partner: (id) => (id === partner.id ? partner : undefined),
    key: (keyId) => keys.get(keyId),
    prove: (clientId, clientSecret) => {
      if (clientId === '' || clientSecret === '') return undefined
      // A client id may be a sandbox key: it names a lane and stands in a token, so only a key id is taken over.
      return keyOf(isKeyId(clientId) ? clientId : 'key_replay')
    },
  }
}

function recordedTenant(cassettes: readonly Cassette[]): string | undefined {
  for (const { interactions } of cassettes) {
    for (const interaction of interactions) {
      const tenant = tenantOf(interaction)
      if (tenant !== undefined) return tenant
    }
  }
  return undefined
}

/** A tenant that the recording sandbox accepted, in a header or as the client id of an exchange, or told. */
function tenantOf({ request, reply, operation }: Interaction): string | undefined {
  if (!reply || reply.status >= 300) return undefined
  const header = headerOf(request.headers, 'x-tenant-id')
  if (header !== undefined) return header
  const isGrant = grantsToken(operation)
  if (!isGrant && rowOf(operation)?.shows !== 'usage') return undefined
  const text = Buffer.from(isGrant ? request.body : reply.body).toString('latin1')
  return /tn_sandbox_[A-Za-z0-9_-]{1,60}/.exec(text)?.[0]
}
