import { createMemoryStore } from '../../src/store/memory.ts'
import { storeContract } from './contract.ts'

storeContract('the memory store', async () => createMemoryStore())
