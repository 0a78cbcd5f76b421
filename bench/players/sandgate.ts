import { join } from 'node:path'
import { ROOT } from '../process.ts'
import type { Player } from './player.ts'

const PROGRAM = join(ROOT, 'dist/cli/main.js')

/** The product's own command with its defaults: the token is judged, instants are moved to now. */
export const sandgate: Player = {
  name: 'sandgate replay',
  role: 'own',
  prepare:
    ({ cassette }) =>
    (port) => [process.execPath, PROGRAM, 'replay', cassette, '--port', String(port)],
}
