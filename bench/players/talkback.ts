import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notInstalled } from './install.ts'
import type { Player } from './player.ts'

const SERVER = join(import.meta.dirname, '../peers/talkback-server.js')

/** A tape is a file of its own, its JSON body readable: as talkback records it. */
export const talkback: Player = {
  name: 'talkback',
  role: 'peer',
  missing: () => notInstalled('talkback'),
  prepare: ({ answers }, directory) => {
    const tapes = join(directory, 'tapes')
    mkdirSync(tapes)
    for (const [n, { path, headers, body }] of answers.entries()) {
      const tape = {
        meta: { createdAt: '2026-01-15T09:30:00.000Z', host: 'http://127.0.0.1:1', resHumanReadable: true },
        req: { headers: {}, url: path, method: 'GET', body: '' },
        res: {
          status: 200,
          headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), [value]])),
          body: JSON.parse(body),
        },
      }
      writeFileSync(join(tapes, `${n}.json5`), JSON.stringify(tape, null, 4))
    }
    return (port) => [process.execPath, '--max-old-space-size=4096', SERVER, tapes, String(port)]
  },
}
