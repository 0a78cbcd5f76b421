import { PRODUCTS_WITHOUT_AMOUNT } from './contract.ts'
import { capName } from './limits.ts'
import type { Cap, Partner } from './partners.ts'
import type { Path } from './paths.ts'
import type { Config } from './schema.ts'

type Report = (path: Path, message: string) => void

export function checkPartners({ partners }: Pick<Config, 'partners'>, report: Report): void {
  const unique = uniqueness(report)
  for (const [i, partner] of partners.entries()) {
    const path = ['partners', i]
    unique('id', partner.id, [...path, 'id'])
    unique('tenant', partner.tenant, [...path, 'tenant'])
    for (const [j, key] of partner.keys.entries()) {
      unique('key id', key.id, [...path, 'keys', j, 'id'])
      // The value stays out of the message: it is as good as a name for the secret.
      unique('sha256', key.sha256, [...path, 'keys', j, 'sha256'], 'the same sandbox key')
    }
    checkScopes(partner, path, report)
    checkCapList(partner.caps ?? [], [...path, 'caps'], report)
  }
}

/** Reports what is used a second time, and by whom it was used first. */
function uniqueness(report: Report) {
  const first = new Map<string, Path>()
  return (kind: string, value: string, path: Path, shown = JSON.stringify(value)): void => {
    const name = `${kind} ${value}`
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, path)
    else report(path, `${shown} is already used by ${earlierText(earlier)}`)
  }
}

function earlierText(path: Path): string {
  const [, partner, , key] = path
  return key === undefined ? `partners[${partner}]` : `partners[${partner}].keys[${key}]`
}

function checkScopes(partner: Partner, path: Path, report: Report): void {
  for (const [i, key] of partner.keys.entries()) {
    for (const [j, scope] of (key.scopes ?? []).entries()) {
      if (partner.scopes.includes(scope)) continue
      const held = partner.scopes.join(', ')
      report([...path, 'keys', i, 'scopes', j], `${scope} is not a scope of the partner, which has ${held}`)
    }
  }
}

/** A list of caps: the common one, or a partner's. */
export function checkCapList(caps: readonly Cap[], path: Path, report: Report): void {
  const names = new Set<string>()
  for (const [i, cap] of caps.entries()) {
    const name = capName(cap)
    if (names.has(name)) report([...path, i], `${name} is already capped above; keep one of them`)
    names.add(name)
    if (cap.unit === 'amount' && PRODUCTS_WITHOUT_AMOUNT.includes(cap.product)) {
      report([...path, i, 'unit'], `must be calls for ${cap.product}, which moves no money`)
    }
  }
}
