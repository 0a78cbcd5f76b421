import { fileURLToPath } from 'node:url'
import { loadCompiled } from '../../src/compiled-code.ts'

const bundle = fileURLToPath(new URL('../../sandgate.cjs', import.meta.url))
const sandgate = loadCompiled(bundle, 'recorder-thread') as typeof import('./entries.ts')
void sandgate.recorderThread()
