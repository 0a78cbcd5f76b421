import type { Player } from './player.ts'

/** The product's own command with its defaults: the token is judged, instants are moved to now. */
export const sandgate: Player = {
  name: 'sandgate replay',
  role: 'own',
  prepare:
    ({ cassette }) =>
    (port) => [process.execPath, 'dist/cli/main.js', 'replay', cassette, '--port', String(port)],
}
