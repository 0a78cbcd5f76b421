import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { temporaryDirectories } from '../support/store-directory.ts'
import { storeContract } from './contract.ts'

const directory = temporaryDirectories()

storeContract('the embedded store', () => openEmbeddedStore({ path: directory() }))
