import { writeMarker } from './admission.ts'
import { committed, type Hold } from './caps.ts'
import type { Change, View } from './commits.ts'
import type { Engine } from './engine.ts'
import { KIND_OF_RECORD, ownerIn } from './generations.ts'
import { holdingOf } from './holdings.ts'
import {
  answerName,
  decodeNumber,
  encodeAnswer,
  encodeNumber,
  encodeRecord,
  expiresAtOf,
  expiryName,
  PRESENT,
  recordName,
} from './keyspace.ts'
import { addHeld } from './quotas.ts'
import type { Unfinished } from './running-keys.ts'
import type { CapCommit, DataKind, RecordWrite, Settlement, SettleResult } from './store.ts'

/** Ends what `admit` began: answer, records and caps are one commit, and the key stays running until it is durable. */
export async function settle(engine: Engine, settlement: Settlement, now: number): Promise<SettleResult> {
  engine.running.expire(now)
  const work = engine.running.settleable(settlement.permit)
  if (work === undefined) return { kind: 'superseded' }
  if (settlement.outcome === 'unknown') return leaveUnknown(engine, work)
  const change = changeOf(settlement, work, now)
  if (change === undefined) {
    end(engine, work, false)
    return { kind: 'settled' }
  }
  work.busy = true
  try {
    const result = await engine.commits.submit(change)
    if (result.kind === 'settled') end(engine, work, settlement.commitCaps)
    return result
  } catch (error) {
    abandon(engine, work)
    throw error
  } finally {
    work.busy = false
  }
}

function end(engine: Engine, work: Unfinished, commitCaps: CapCommit): void {
  const counted = committed(work.holds, commitCaps)
  engine.caps.commit(counted)
  engine.caps.release(work.holds.filter((hold) => !counted.includes(hold)))
  engine.running.remove(work)
}

/** Nothing was written. A local effect has not happened; a remote one may have, as its marker still says. */
function abandon(engine: Engine, work: Unfinished): void {
  if (work.marker === undefined) end(engine, work, false)
  else engine.running.leaveUnknown(work)
}

async function leaveUnknown(engine: Engine, work: Unfinished): Promise<SettleResult> {
  if (work.marker === undefined) {
    work.busy = true
    try {
      await writeMarker(engine, work)
    } catch (error) {
      abandon(engine, work)
      throw error
    } finally {
      work.busy = false
    }
  }
  engine.running.leaveUnknown(work)
  return { kind: 'settled' }
}

type Prepared = {
  readonly kind: DataKind
  readonly who: string
  /** Its name in the generation in which the commit finds the kind. */
  readonly nameIn: (owner: string) => string
  readonly value: Buffer
  readonly expiresAt: number
  readonly ifPresent: RecordWrite['ifPresent']
}

/**
 * What the settlement has to write; undefined when that is nothing. Everything is encoded here, so that a value that
 * cannot be encoded is refused before the batch it would have been part of.
 */
function changeOf(settlement: Settlement, work: Unfinished, now: number): Change<SettleResult> | undefined {
  const entries = settlement.outcome === 'finished' ? prepare(settlement, work, now) : []
  const holds = committed(work.holds, settlement.commitCaps)
  const { marker } = work
  if (entries.length === 0 && holds.length === 0 && marker === undefined) return undefined
  return (view) => {
    // All questions before the first write.
    const names = entries.map(({ kind, who, nameIn }) => nameIn(ownerIn(view, kind, who)))
    if (entries.some(({ ifPresent }, i) => ifPresent === 'refuse' && isPresent(view, names[i] ?? '', now))) {
      return { kind: 'conflict' }
    }
    for (const [i, entry] of entries.entries()) writeEntry(view, names[i] ?? '', entry, now)
    for (const hold of holds) addUsed(view, hold)
    if (marker !== undefined) view.remove(marker)
    return { kind: 'settled' }
  }
}

function prepare({ permit, answer, records }: Settlement, work: Unfinished, now: number): Prepared[] {
  const entries = records.map(prepareRecord)
  if (permit.claim === undefined) return entries
  if (answer === undefined) throw new TypeError('a finished key needs the answer that is stored under it')
  const { key, fingerprint, retentionMs } = permit.claim
  const expiresAt = now + retentionMs
  const value = encodeAnswer(expiresAt, fingerprint, answer)
  const nameIn = (owner: string) => answerName(owner, key)
  entries.push({ kind: 'keys', who: work.partner, nameIn, value, expiresAt, ifPresent: 'replace' })
  return entries
}

function prepareRecord(write: RecordWrite): Prepared {
  const { kind, tenant, id, ifPresent, expiresAt = Number.POSITIVE_INFINITY } = write
  return {
    kind: KIND_OF_RECORD[kind],
    who: tenant,
    nameIn: (owner) => recordName(kind, owner, id),
    value: encodeRecord(expiresAt, write.value),
    expiresAt,
    ifPresent,
  }
}

function isPresent(view: View, name: string, now: number): boolean {
  const value = view.read(name)
  return value !== undefined && expiresAtOf(value) > now
}

function writeEntry(view: View, name: string, { value, expiresAt, ifPresent }: Prepared, now: number): void {
  const before = view.read(name)
  if (ifPresent === 'keep' && before !== undefined && expiresAtOf(before) > now) return
  view.put(name, value)
  if (expiresAt !== Number.POSITIVE_INFINITY) view.put(expiryName(expiresAt, name), PRESENT)
  const holding = holdingOf(name, value)
  if (holding === undefined) return
  const held = before === undefined ? 0 : (holdingOf(name, before)?.amount ?? 0)
  addHeld(view, holding.kind, holding.owner, holding.amount - held)
}

/** An absolute value, computed from what is committed: a failed batch can leave no counter off by one. */
export function addUsed(view: View, { counter, amount, expiresAt }: Hold): void {
  const value = view.read(counter)
  const used = value === undefined ? 0 : decodeNumber(value)
  view.put(counter, encodeNumber(expiresAt, used + amount))
  if (value === undefined) view.put(expiryName(expiresAt, counter), PRESENT)
}
