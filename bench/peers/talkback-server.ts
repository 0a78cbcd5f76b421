import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT } from '../process.ts'

/** Talkback is a library; this is the program that its guide shows, answering from tapes alone. */
type Talkback = (options: object) => { start: () => Promise<unknown> }

const [path = '', port = ''] = process.argv.slice(2)
const from = createRequire(join(ROOT, 'bench/peers/package.json'))
const talkback = from('talkback') as Talkback
await talkback({
  host: 'http://127.0.0.1:1',
  port: Number(port),
  path,
  record: 'DISABLED',
  allowHeaders: [],
  silent: true,
  summary: false,
}).start()
