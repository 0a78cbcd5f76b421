import { resolve } from 'node:path'
import { CassetteError } from '../cassette-error.ts'
import { isRecord } from '../file/checked.ts'
import { readFile } from '../file/read-file.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import { unusedInteraction } from '../tape/ledger.ts'

/**
 * The interactions of a cassette that no ledger of `sandgate replay --ledger FILE` used. A ledger of a replay without
 * this cassette names none of them as unused, and so none is.
 *
 * @throws CassetteError when a ledger cannot be read, or is of another recording than the file holds.
 */
export function unusedInAll(
  file: string,
  cassette: Cassette,
  ledgers: readonly string[],
): ReadonlySet<number> {
  const [first = new Set<number>(), ...rest] = ledgers.map((ledger) => unusedIn(file, cassette, ledger))
  return new Set([...first].filter((sequence) => rest.every((unused) => unused.has(sequence))))
}

function unusedIn(file: string, { interactions }: Cassette, ledger: string): Set<number> {
  const bySequence = new Map(interactions.map((interaction) => [interaction.sequence, interaction]))
  const unused = new Set<number>()
  for (const entry of unusedOf(ledger)) {
    if (typeof entry.file !== 'string' || resolve(entry.file) !== resolve(file)) continue
    const interaction = bySequence.get(Number(entry.sequence))
    if (interaction === undefined || !isSame(file, interaction, entry)) {
      const detail = `names entry ${String(entry.sequence)} of ${file} as another than the file holds: replay again.`
      throw new CassetteError('foreign', ledger, detail)
    }
    unused.add(interaction.sequence)
  }
  return unused
}

type Entry = Readonly<Record<string, unknown>>

function unusedOf(path: string): readonly Entry[] {
  let value: unknown
  try {
    value = JSON.parse(readFile(path).toString('utf8'))
  } catch (cause) {
    if (cause instanceof CassetteError) throw cause
    throw new CassetteError('undecodable', path, 'is not well-formed JSON.')
  }
  const unused = isRecord(value) ? value.unused : undefined
  if (!Array.isArray(unused) || !unused.every(isRecord))
    throw new CassetteError('foreign', path, 'is no ledger of `sandgate replay --ledger FILE`.')
  return unused
}

function isSame(file: string, interaction: Interaction, entry: Entry): boolean {
  const { method, operation, lane } = unusedInteraction(file, interaction)
  return entry.method === method && entry.operation === operation && entry.lane === lane
}
