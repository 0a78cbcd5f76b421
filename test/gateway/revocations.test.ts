import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRevocations } from '../../src/gateway/revocations.ts'
import type { Settings } from '../../src/gateway/settings.ts'
import { createRegistry } from '../../src/tokens/registry.ts'
import { runs } from '../support/effort.ts'
import { partner, partnerConfig, secretOf } from '../support/partners.ts'

/** What a reading of the partners' file comes to. */
function reading(revoked: boolean): Settings {
  const one = partner('one', { moreKeys: [{ id: 'key_leaked', revoked }] })
  const partners = [partnerConfig(one)] as Settings['config']['partners']
  return { config: { partners }, registry: createRegistry(partners) } as unknown as Settings
}

const knows = ({ registry }: Settings) => [
  registry.key('key_leaked') !== undefined,
  registry.prove('key_leaked', secretOf('key_leaked')) !== undefined,
]

it('a revocation holds over a reading that began before it and ended after it, and over no later one', () => {
  const revocations = createRevocations()
  expect(knows(reading(false))).toEqual([true, true])
  expect(knows(revocations.revoke(reading(false), 'key_leaked'))).toEqual([false, false])
  expect(knows(revocations.reapply(reading(false)))).toEqual([false, false])
  expect(knows(revocations.reapply(reading(true)))).toEqual([false, false])
  // Since then the file has known it: what it says now was decided later.
  expect(knows(revocations.reapply(reading(false)))).toEqual([true, true])
})

it('a revocation takes no other key with it', () => {
  const { registry } = createRevocations().revoke(reading(false), 'key_leaked')
  expect(registry.key('key_one')?.partner.id).toBe('one')
  expect(registry.prove('tn_sandbox_one', secretOf('key_one'))?.keyId).toBe('key_one')
})

it('settings that a request came in under stay what they were, whatever comes after', () => {
  const steps = fc.array(fc.constantFrom('revoke', 'read before', 'read after'), { maxLength: 12 })
  const property = fc.property(steps, (taken) => {
    const revocations = createRevocations()
    const seen: { settings: Settings; known: boolean[] }[] = []
    let settings = reading(false)
    for (const step of taken) {
      settings =
        step === 'revoke'
          ? revocations.revoke(settings, 'key_leaked')
          : revocations.reapply(reading(step === 'read after'))
      seen.push({ settings, known: knows(settings) })
    }
    for (const { settings, known } of seen) expect(knows(settings)).toEqual(known)
  })
  fc.assert(property, { numRuns: runs(100) })
})
