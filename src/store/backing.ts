import type { StoreStats } from './store.ts'

/**
 * What an engine needs from the place that keeps its entries: an ordered map from names to bytes with atomic writes.
 * Reads see what has been written durably, never what is on its way.
 */
export type Backing = {
  read(name: string): Buffer | undefined
  /** Entries with from <= name < to, ascending, or descending with `reverse`; at most `limit`. */
  range(query: RangeQuery): Iterable<Entry>
  /**
   * Writes all or nothing and resolves when it is durable; `undefined` deletes. Rejects with StoreUnavailable when
   * nothing was written. Never called while another write is in flight.
   */
  write(writes: ReadonlyMap<string, Buffer | undefined>): Promise<void>
  /** The size of the data file and what is free on its disk; undefined where nothing is on a disk. */
  disk?(): StoreStats['disk']
  close(): Promise<void>
}

export type RangeQuery = {
  readonly from: string
  readonly to: string
  readonly limit: number
  readonly reverse?: boolean
}

export type Entry = { readonly name: string; readonly value: Buffer }
