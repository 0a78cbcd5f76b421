import { existsSync } from 'node:fs'
import type { Config } from '../config/schema.ts'
import { openEmbeddedStore } from '../store/embedded.ts'
import { type Store, StoreOpenError } from '../store/store.ts'
import { SigningKeysError } from '../tokens/key-file.ts'
import type { Io } from './command.ts'
import type { Exit } from './exit-codes.ts'

/** With nothing running: the directory is claimed for the moment, so that no gateway starts in between. */
export async function inDirectory(
  command: string,
  { store }: Config,
  io: Io,
  run: (owned: Store) => Promise<void>,
): Promise<Exit> {
  if (store.engine !== 'embedded' || !existsSync(store.path)) {
    io.err(
      `sandgate ${command}: no gateway answers and there is no data directory ${store.path}; start one first\n`,
    )
    return 'store'
  }
  try {
    const owned = await openEmbeddedStore({ path: store.path })
    try {
      await run(owned)
    } finally {
      await owned.close()
    }
    return 'ok'
  } catch (error) {
    if (!(error instanceof StoreOpenError) && !(error instanceof SigningKeysError)) throw error
    const hint =
      error instanceof StoreOpenError && error.reason === 'in-use'
        ? '; name its operator listener with --operator URL'
        : ''
    io.err(`sandgate ${command}: ${error.message}${hint}\n`)
    return 'store'
  }
}
