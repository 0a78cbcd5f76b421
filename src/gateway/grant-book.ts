import { scopeText } from '../cassettes/matching/callers.ts'
import type { TokenFact } from '../cassettes/message/caller-facts.ts'
import { createGrowingCache } from '../growing-cache.ts'
import type { Principal } from '../tokens/verify.ts'

type Granted = { readonly client: string; readonly scopes: string; readonly isRecorded: boolean }

/** What the tokens of a replay were granted for. */
export type GrantBook = {
  readonly note: (token: string, granted: Granted) => void
  /** `principal`: whom the edge has taken the token for; undefined when it has refused it. */
  readonly factOf: (token: string, principal: Principal | undefined) => TokenFact
}

/** Beyond so many tokens the one that was not used for longest is known by what is in it alone. */
const MAX_TOKENS = 50_000
/** The end of a signature: no two tokens have the same. */
const TAIL = 64

export function createGrantBook(): GrantBook {
  const book = createGrowingCache<Granted>(MAX_TOKENS)
  return {
    note: (token, granted) => {
      book.set(token.slice(-TAIL), granted)
    },
    factOf: (token, principal) => {
      const granted = book.get(token.slice(-TAIL))
      // An expired token of this run is refused, and is its client's all the same.
      if (granted) return { kind: 'granted', ...granted }
      if (!principal) return { kind: 'unknown', value: token, isRefused: true }
      const scopes = scopeText([...principal.scopes])
      return { kind: 'granted', client: principal.keyId, scopes, isRecorded: false }
    },
  }
}
