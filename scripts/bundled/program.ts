import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
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

/** The last version of Node.js whose V8 is known to have the setting below. A V8 that has not would say so. */
const LAST_MAJOR = 24

// undici reads answers with WebAssembly. V8 would compile the large function of it anew, with more effort, after the first
// answers: 0.2 s of processor time, for which a command waits at its end. That pays from some hundreds of answers on.
if (Number.parseInt(process.versions.node, 10) <= LAST_MAJOR)
  setFlagsFromString('--wasm-tiering-budget=1000000000')

const command = process.argv[2] ?? ''
const bundle = fileURLToPath(new URL('../sandgate.cjs', import.meta.url))
const sandgate = loadCompiled(
  bundle,
  USES.includes(command) ? command : 'other',
) as typeof import('./entries.ts')
void sandgate.main()
