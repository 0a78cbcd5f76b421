import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Player } from './player.ts'

const SERVER = join(import.meta.dirname, '../peers/bare-replay.js')

export const bareFastify: Player = {
  name: 'bare Fastify',
  role: 'bare',
  prepare: ({ answers }, directory) => {
    const file = join(directory, 'answers.json')
    writeFileSync(file, JSON.stringify(answers.map(({ path, body }) => [path, body])))
    return (port) => [process.execPath, SERVER, file, String(port)]
  },
}
