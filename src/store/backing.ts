import type { StoreDisk } from './store.ts'

/**
 * What an engine needs from the place that keeps its entries: an ordered map from names to bytes with atomic writes.
 * Reads see what has been written durably, never what is on its way.
 */
export type Entries = {
  read(name: string): Buffer | undefined
  /** Entries with from <= name < to, ascending, or descending with `reverse`; at most `limit`. */
  range(query: RangeQuery): Iterable<Entry>
  /** Their names alone, ascending. */
  names(query: Omit<RangeQuery, 'reverse'>): Iterable<string>
  /**
   * Writes all or nothing and resolves when it is durable; `undefined` deletes. Rejects with StoreUnavailable when
   * nothing was written. Never called while another write is in flight.
   */
  write(writes: ReadonlyMap<string, Buffer | undefined>): Promise<void>
  close(): Promise<void>
}

export type Backing = Entries & {
  /** Names of finished answers, whoever they belong to, a part at a time; `next` continues, undefined at the end. */
  answers(
    from: number,
    limit: number,
  ): { readonly names: readonly string[]; readonly next: number | undefined }
  /** Undefined where nothing is on a disk. */
  disk(): StoreDisk | undefined
}

export type RangeQuery = {
  readonly from: string
  readonly to: string
  readonly limit: number
  readonly reverse?: boolean
}

export type Entry = { readonly name: string; readonly value: Buffer }
