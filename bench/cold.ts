import { join } from 'node:path'
import { temporaryDirectory } from './clean-up.ts'
import { firstAnswerMs } from './first-answer.ts'
import { isAnsweredBy } from './players/check.ts'
import { installPeers } from './players/install.ts'
import type { Player } from './players/player.ts'
import { PLAYERS } from './players/players.ts'
import { freePort } from './process.ts'
import { type Answer, recordAccounts } from './recorded.ts'
import { median } from './rounds.ts'
import { authorization } from './servers.ts'

const ENTRIES = 1000
/** As long as a token of the product. */
const ANY_TOKEN = `Bearer ${'x'.repeat(800)}`

/** From the start of a process to its first recorded answer, in alternating fresh starts. */
export async function benchCold(starts: number): Promise<void> {
  installPeers()
  const directory = temporaryDirectory()
  const recording = await recordAccounts(join(directory.path, 'accounts.har'), ENTRIES)
  const [answer] = recording.answers
  if (answer === undefined) throw new Error('nothing was recorded')
  const rows = PLAYERS.map((player) => {
    const missing = player.missing?.()
    return {
      player,
      missing,
      times: [] as number[],
      command: missing ?? player.prepare(recording, directory.path),
    }
  })
  for (let i = 0; i < starts; i++) {
    for (const { player, command, times } of rows) {
      if (typeof command !== 'string') times.push(await oneStart(player, command, answer))
    }
  }
  directory.remove()
  const lines = rows.map(({ player, missing, times }) =>
    missing === undefined
      ? `| ${player.name} | ${median(times).toFixed(0)} | ${Math.min(...times).toFixed(0)} | ${Math.max(...times).toFixed(0)} |`
      : `| ${player.name} | ${missing} | | |`,
  )
  console.log(
    `### Cold start to the first answer, ${ENTRIES} entries, ${starts} fresh starts\n\n| Server | Median ms | Least ms | Most ms |\n|---|--:|--:|--:|\n${lines.join('\n')}\n`,
  )
}

/** The product has to be asked for a token first, and that counts. */
async function oneStart(
  { role }: Player,
  command: (port: number) => readonly string[],
  answer: Answer,
): Promise<number> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return firstAnswerMs(command(port), async () =>
    isAnsweredBy(url, answer, role === 'own' ? await authorization(url) : ANY_TOKEN),
  )
}
