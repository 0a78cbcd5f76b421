import { writeMarker } from './admission.ts'
import { committed, type Hold } from './caps.ts'
import type { Change, View } from './commits.ts'
import type { Engine } from './engine.ts'
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
import type { Unfinished } from './running-keys.ts'
import type { CapCommit, RecordWrite, Settlement, SettleResult } from './store.ts'

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
  readonly name: string
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
    if (entries.some((entry) => entry.ifPresent === 'refuse' && isPresent(view, entry.name, now))) {
      return { kind: 'conflict' }
    }
    for (const entry of entries) writeEntry(view, entry, now)
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
  entries.push({ name: answerName(work.partner, key), value, expiresAt, ifPresent: 'replace' })
  return entries
}

function prepareRecord(write: RecordWrite): Prepared {
  const { kind, tenant, id, ifPresent, expiresAt = Number.POSITIVE_INFINITY } = write
  return {
    name: recordName(kind, tenant, id),
    value: encodeRecord(expiresAt, write.value),
    expiresAt,
    ifPresent,
  }
}

function isPresent(view: View, name: string, now: number): boolean {
  const value = view.read(name)
  return value !== undefined && expiresAtOf(value) > now
}

function writeEntry(view: View, { name, value, expiresAt, ifPresent }: Prepared, now: number): void {
  if (ifPresent === 'keep' && isPresent(view, name, now)) return
  view.put(name, value)
  if (expiresAt !== Number.POSITIVE_INFINITY) view.put(expiryName(expiresAt, name), PRESENT)
}

/** An absolute value, computed from what is committed: a failed batch can leave no counter off by one. */
export function addUsed(view: View, { counter, amount, expiresAt }: Hold): void {
  const value = view.read(counter)
  const used = value === undefined ? 0 : decodeNumber(value)
  view.put(counter, encodeNumber(expiresAt, used + amount))
  if (value === undefined) view.put(expiryName(expiresAt, counter), PRESENT)
}
