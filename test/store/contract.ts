import { afterEach, beforeEach, describe } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { capsContract } from './contract-caps.ts'
import { dataContract } from './contract-data.ts'
import { historyContract } from './contract-history.ts'
import { keysContract } from './contract-keys.ts'
import { recordsContract } from './contract-records.ts'
import { remoteContract } from './contract-remote.ts'
import { windowsContract } from './contract-windows.ts'

/** Gives a test a fresh store; what was opened is closed when the test is over. */
export type FreshStore = () => Store

/** The store contract: every implementation passes it. `open` gives an empty store. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let current: Store | undefined
    beforeEach(async () => {
      current = await open()
    })
    afterEach(async () => {
      await current?.close()
    })
    const store: FreshStore = () => {
      if (current === undefined) throw new Error('no store is open')
      return current
    }
    windowsContract(store)
    keysContract(store)
    capsContract(store)
    remoteContract(store)
    recordsContract(store)
    dataContract(store)
    historyContract(store)
  })
}
