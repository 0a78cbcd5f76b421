import { fileURLToPath } from 'node:url'
import { loadCompiled } from '../../src/compiled-code.ts'

/** What is started often enough to have compiled code of its own. */
const USES = [
  'call',
  'cassette',
  'data',
  'keys',
  'record',
  'replay',
  'serve',
  'signing-keys',
  'token',
  'usage',
]

const command = process.argv[2] ?? ''
const bundle = fileURLToPath(new URL('../sandgate.cjs', import.meta.url))
const sandgate = loadCompiled(
  bundle,
  USES.includes(command) ? command : 'other',
) as typeof import('./entries.ts')
void sandgate.main()
