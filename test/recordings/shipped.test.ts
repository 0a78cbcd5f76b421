import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { recordStories } from '../../scripts/record-stories.ts'
import { STORIES } from '../../scripts/recording-stories.ts'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { controllableClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { startReplay } from '../../src/start/replay.ts'

const directory = mkdtempSync(join(tmpdir(), 'sandgate-recordings-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const TWO_YEARS_MS = 2 * 365 * 86_400_000

function config() {
  const result = loadConfig()
  if (!result.ok) throw new Error('the built-in configuration is not valid')
  const listen = { ...result.config.listen, port: 0 }
  return { ...result.config, listen, scores: { 'CUS-0001': 712 } }
}

it('recording the stories again changes no byte', async () => {
  await recordStories(directory)
  const names = readdirSync(directory).filter((name) => name.endsWith('.har'))
  expect(names.sort()).toEqual(
    readdirSync('recordings')
      .filter((name) => name.endsWith('.har'))
      .sort(),
  )
  for (const name of names) {
    expect(readFileSync(join(directory, name), 'utf8')).toBe(readFileSync(join('recordings', name), 'utf8'))
  }
})

describe.each(STORIES)('the story $name', (story) => {
  it.each([
    ['today', 0],
    ['in two years', TWO_YEARS_MS],
  ])('replays %s, with every interaction used and none missed', async (_when, ms) => {
    const cassette = loadCassette(`recordings/${story.name}.har`)
    const clock = controllableClock()
    clock.advance(ms)
    const logger = createLogger({ requests: false, format: 'off' })
    const gateway = await startReplay({
      load: () => [cassette],
      config: config(),
      partners: 'any',
      logger,
      clock,
    })
    // The tape has what the moved clock has led to: nothing is moved at replay.
    const told = await story.tell({ url: gateway.url, advance: () => {} }).finally(gateway.close)
    const recorded = cassette.interactions.map(({ reply }) => reply?.status)
    expect(gateway.misses()).toEqual([])
    expect(told.map(({ status }) => status)).toEqual(recorded)
    expect(gateway.ledger()).toMatchObject({ missed: 0, unused: [], forwarded: 0 })
  })
})

it('a replay that was busy for a while sheds no request: a test would fail for nothing', async () => {
  const { server, ...rest } = config()
  const gateway = await startReplay({
    load: () => [loadCassette('recordings/paging.har')],
    config: { ...rest, server: { ...server, maxLoopDelayMs: 100 } },
    partners: 'any',
    logger: createLogger({ requests: false, format: 'off' }),
  })
  // Its first tick only sets the measure.
  await new Promise((next) => setTimeout(next, 250))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(`${gateway.url}/livez`)))
  await gateway.close()
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
})

it('the refusals are all of the contract', () => {
  const { interactions } = loadCassette('recordings/refusals.har')
  const bodies = interactions.map(({ reply }) => Buffer.from(reply?.body ?? []).toString()).join('\n')
  for (const code of [
    'IDEMPOTENCY_KEY_REQUIRED',
    'PARTNER_MISMATCH',
    'PARTNER_LIMIT_EXCEEDED',
    'SCORE_NOT_FOUND',
    'KYC_SESSION_EXPIRED',
    'TOKEN_EXPIRED',
    'RATE_LIMITED',
    'KYB_REJECTED',
    'KYC_REJECTED',
    'PAYMENT_FAILED',
    'CREDIT_REJECTED',
  ]) {
    expect(bodies).toContain(`"${code}"`)
  }
})
