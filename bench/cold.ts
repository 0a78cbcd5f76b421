import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { atTheEnd, temporaryDirectory } from './clean-up.ts'
import { firstAnswerMs, GIVE_UP_MS } from './first-answer.ts'
import { isAnsweredBy } from './players/check.ts'
import { installPeers } from './players/install.ts'
import type { Player } from './players/player.ts'
import { PLAYERS } from './players/players.ts'
import { freePort, ROOT } from './process.ts'
import { type Answer, accounts, record, recordAccounts } from './recorded.ts'
import { median } from './rounds.ts'
import { authorization } from './servers.ts'

const ENTRIES = 1000
const MANY_ENTRIES = 100_000
/** As long as a token of the product. */
const ANY_TOKEN = `Bearer ${'x'.repeat(800)}`

/**
 * From the start of a process to its first recorded answer, in alternating fresh starts. Each runs where a partner's would:
 * in a directory without a configuration of Sandgate's. What a first start leaves for the next ones (a key, compiled code)
 * is there.
 */
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
  for (const { player, command } of rows)
    if (player.role === 'own' && typeof command !== 'string')
      await oneStart(player, command, answer, directory.path)
  for (let i = 0; i < starts; i++) {
    for (const { player, command, times } of rows) {
      if (typeof command !== 'string') times.push(await oneStart(player, command, answer, directory.path))
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
  cwd: string,
): Promise<number> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return firstAnswerMs(
    command(port),
    async () => isAnsweredBy(url, answer, role === 'own' ? await authorization(url) : ANY_TOKEN),
    cwd,
  )
}

/** From the start of a process until it listens with a large cassette, beside one that does JSON.parse of that file. */
export async function benchListening(starts: number): Promise<void> {
  const directory = temporaryDirectory()
  const file = join(directory.path, 'accounts.har')
  await record(file, accounts(MANY_ENTRIES))
  const child = join(import.meta.dirname, 'loading-child.js')
  const commands = {
    'sandgate replay listens': [join(ROOT, 'dist/cli/main.js'), 'replay', file],
    'JSON.parse of the file': [child, 'json', file],
  }
  const times = Object.entries(commands).map(([name, args]) => ({ name, args, ms: [] as number[] }))
  for (let i = 0; i < starts; i++)
    for (const { args, ms } of times) ms.push(await firstWordMs(args, directory.path))
  const lines = times.map(
    ({ name, ms }) =>
      `| ${name} | ${median(ms).toFixed(0)} | ${Math.min(...ms).toFixed(0)} | ${Math.max(...ms).toFixed(0)} |`,
  )
  const size = Math.round(statSync(file).size / 1e6)
  directory.remove()
  console.log(
    `### ${MANY_ENTRIES} entries, ${size} MB, ${starts} fresh starts\n\n| Until | Median ms | Least ms | Most ms |\n|---|--:|--:|--:|\n${lines.join('\n')}\n`,
  )
}

async function firstWordMs(args: readonly string[], cwd: string): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  const kill = atTheEnd(() => child.kill('SIGKILL'))
  const patience = setTimeout(kill, GIVE_UP_MS)
  const ended = once(child, 'exit')
  const word = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)])
  const ms = performance.now() - startedAt
  child.kill('SIGTERM')
  await ended
  clearTimeout(patience)
  kill()
  if (word === undefined) throw new Error(`${args.join(' ')} ended without a word`)
  return ms
}
