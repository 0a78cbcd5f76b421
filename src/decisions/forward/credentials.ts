import { readFileSync } from 'node:fs'
import type { UpstreamConfig } from '../../config/upstream.ts'
import { bearerToken } from '../../http/authorization.ts'
import { type HeaderLine, headerOf } from '../../http/header-lines.ts'
import type { Call } from '../../operations/operation.ts'
import type { Awaitable } from '../../store/store.ts'
import type { Asserted } from '../../tokens/assertion.ts'
import type { ClientToken } from './client-token.ts'

/** What the upstream is shown to prove who asks. */
export type Credentials = {
  /** Whether they are the gateway's: a refusal of them is then nothing that the partner can mend. */
  readonly areOurs: boolean
  /** Whether they name the partner; where they do not, keys of two partners must not meet. */
  readonly nameThePartner: boolean
  /** Rejects when they cannot be had; nothing has been sent then. */
  readonly lines: (call: Call) => Awaitable<readonly HeaderLine[]>
  /** Forgets those of `lines`; false where no others can be had. */
  readonly renew: (lines: readonly HeaderLine[]) => boolean
}

const NONE: readonly HeaderLine[] = []

export function createCredentials(
  { auth }: UpstreamConfig,
  secret: string,
  parts: {
    readonly assert: (asserted: Asserted) => Awaitable<string>
    readonly clientToken: () => ClientToken
  },
): Credentials {
  const fixed = { renew: () => false }
  switch (auth.type) {
    case 'assertion':
      return {
        ...fixed,
        areOurs: true,
        nameThePartner: true,
        lines: ({ partner, tenant, scopes }) => {
          if (scopes === undefined) return NONE
          const text = parts.assert({ partner: partner.id, tenant, scope: [...scopes].join(' ') })
          return typeof text === 'string' ? bearer(text) : text.then(bearer)
        },
      }
    case 'client-credentials': {
      const token = parts.clientToken()
      return {
        areOurs: true,
        nameThePartner: false,
        lines: async () => bearer(await token.current()),
        renew: (lines) => {
          token.forget(bearerToken(headerOf(lines, 'authorization')) ?? '')
          return true
        },
      }
    }
    case 'header': {
      const lines: readonly HeaderLine[] = [[auth.name, secret]]
      return { ...fixed, areOurs: true, nameThePartner: false, lines: () => lines }
    }
    case 'partner':
      return {
        ...fixed,
        areOurs: false,
        nameThePartner: true,
        lines: ({ request: { headers } }) =>
          headers.authorization === undefined ? NONE : [['Authorization', headers.authorization]],
      }
  }
}

function bearer(token: string): readonly HeaderLine[] {
  return [['Authorization', `Bearer ${token}`]]
}

/** The secret in a file, without the line end that editors add. */
export function secretOf(file: string | null): string {
  return file === null ? '' : readFileSync(file, 'utf8').trim()
}
