import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { createWriter } from '../../../src/cassettes/writer/writer.ts'
import { RECORDER_KILLS as KILLS } from '../../support/effort.ts'
import { scratch, settings } from '../recording-fixtures.ts'

/** As the child has none. */
const NO_RULES = { from: 'built-in', rules: [], scores: {} } as const
const SECRET = 'canary value/with+"quotes"&'
const PHONE = '+2250712345678'
const directory = scratch()

/** Lets a process record until it is killed in the middle of something; returns what it had acknowledged. */
async function recordAndKill(path: string, mode: 'thread' | 'inline', afterMs: number): Promise<number> {
  const child = spawn(
    process.execPath,
    ['test/cassettes/writer/recording-child.mjs', path, SECRET, PHONE, mode],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let acknowledged = 0
  let armed = false
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    acknowledged = Number(line)
    if (!armed) setTimeout(() => child.kill('SIGKILL'), afterMs)
    armed = true
  })
  await new Promise((resolve) => child.once('close', resolve))
  return acknowledged
}

function expectNoCanary(): void {
  const secrets = createSecrets()
  secrets.learn(SECRET)
  for (const file of readdirSync(directory)) {
    const path = join(directory, file)
    if (!statSync(path).isFile()) continue
    const text = readFileSync(path).toString('latin1')
    expect(secrets.find(text), file).toEqual([])
    expect(text.includes(PHONE) || text.includes(encodeURIComponent(PHONE)), file).toBe(false)
  }
}

describe('a recorder that is killed', () => {
  it(`${KILLS} times at any moment: nothing acknowledged is lost, and no file holds a secret`, async () => {
    let kills = 0
    const lane = async (name: string) => {
      while (kills < KILLS) {
        kills++
        const path = join(directory, `${name}-${kills}.har`)
        const acknowledged = await recordAndKill(
          path,
          kills % 5 === 0 ? 'thread' : 'inline',
          Math.random() * 60,
        )
        expect(acknowledged).toBeGreaterThan(0)
        const journal = loadCassette(path.replace('.har', '.cassette.jsonl'))
        const whole = journal.interactions.filter(({ reply }) => reply !== undefined)
        expect(whole.length).toBeGreaterThanOrEqual(acknowledged)
        // Some are finished by a second recorder, which takes over the lock of the dead one.
        if (kills % 5 === 0) {
          const finished = await (
            await createWriter(
              settings(path, { secrets: [SECRET], header: { ...settings(path).header, outcomes: NO_RULES } }),
            )
          ).finish()
          expect(finished).toMatchObject({
            interactions: journal.interactions.length,
            recovered: journal.recovered,
          })
          expect(existsSync(path.replace('.har', '.cassette.jsonl'))).toBe(false)
          expect(loadCassette(path).interactions).toHaveLength(journal.interactions.length)
        }
      }
    }
    await Promise.all([lane('a'), lane('b')])
    expectNoCanary()
  })
})
