import { join } from 'node:path'
import { temporaryDirectory } from './clean-up.ts'
import { isAnsweredBy } from './players/check.ts'
import { installPeers } from './players/install.ts'
import type { Player } from './players/player.ts'
import { PLAYERS } from './players/players.ts'
import { freePort, NotStarted, type Subject, start } from './process.ts'
import { type Recording, recordAccounts } from './recorded.ts'
import { report, withSubjects } from './report.ts'
import type { Entrant, RoundOptions } from './rounds.ts'
import { authorization } from './servers.ts'

const CONNECTIONS = 32
const LIMITS = { seconds: 120, residentMb: 4096 }
/** Longer than a round: a slow answer is no lost one. */
const PATIENCE_SECONDS = 60

/** How fast recorded answers come, and whether their number matters. */
export async function benchReplay(entries: readonly number[], options: RoundOptions): Promise<void> {
  installPeers()
  for (const count of entries) await benchEntries(count, options)
}

async function benchEntries(count: number, options: RoundOptions): Promise<void> {
  const directory = temporaryDirectory()
  const recording = await recordAccounts(join(directory.path, 'accounts.har'), count)
  await withSubjects(async (keep) => {
    const started: { player: Player; subject: Subject }[] = []
    const absent: string[] = []
    for (const player of PLAYERS) {
      const subject = await startPlayer(player, recording, directory.path, keep)
      if (typeof subject === 'string') absent.push(`${player.name}: ${subject}.`)
      else started.push({ player, subject })
      // It does not take the processor from those that are still to start.
      if (typeof subject !== 'string') subject.pause()
    }
    const entrants = await checked(started, recording, absent)
    const base = entrants.find(({ player }) => player.role === 'bare')?.subject
    if (base === undefined) throw new Error('there is nothing to compare with')
    await report(`Replay of ${count} entries of GET /v1/accounts/{accountId}`, entrants, base, {
      ...options,
      connections: [CONNECTIONS],
    })
    if (absent.length > 0) console.log(`Not measured with ${count} entries: ${absent.join(' ')}\n`)
  })
  directory.remove()
}

/** The server, or why there is none: only the product and the bare server have to start. */
async function startPlayer(
  player: Player,
  recording: Recording,
  directory: string,
  keep: (starting: Promise<Subject>) => Promise<Subject>,
): Promise<Subject | string> {
  const missing = player.missing?.()
  if (missing !== undefined) return missing
  const port = await freePort()
  const command = player.prepare(recording, directory)(port)
  try {
    return await keep(start({ name: player.name, command, port, limits: LIMITS }))
  } catch (error) {
    if (!(error instanceof NotStarted) || player.role !== 'peer') throw error
    return error.message
  }
}

/** Those that answer the first, the middle and the last request as it was recorded. */
async function checked(
  started: readonly { player: Player; subject: Subject }[],
  { answers }: Recording,
  absent: string[],
): Promise<(Entrant & { player: Player })[]> {
  const header = await tokenOf(started)
  const samples = [answers.at(0), answers.at(answers.length >> 1), answers.at(-1)]
  const entrants: (Entrant & { player: Player })[] = []
  for (const { player, subject } of started) {
    await subject.resume()
    let isRight = true
    for (const sample of samples) {
      isRight &&= sample !== undefined && (await isAnsweredBy(subject.url, sample, header))
    }
    subject.pause()
    if (!isRight && player.role !== 'peer') throw new Error(`${player.name} gives other answers`)
    if (!isRight) absent.push(`${player.name}: gives other answers.`)
    else entrants.push({ player, subject, load: load(answers.length, header) })
  }
  return entrants
}

function load(entries: number, header: string): Entrant['load'] {
  return {
    path: '/',
    script: 'accounts.lua',
    args: [String(entries)],
    headers: { Authorization: header },
    timeoutSeconds: PATIENCE_SECONDS,
  }
}

/** The product's token is sent to everybody; the others do not look at it. */
async function tokenOf(started: readonly { player: Player; subject: Subject }[]): Promise<string> {
  const own = started.find(({ player }) => player.role === 'own')?.subject
  if (own === undefined) throw new Error('there is no replay')
  await own.resume()
  const header = await authorization(own.url)
  own.pause()
  return header
}
