import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VOLATILE } from '../src/cassettes/bindings/contract.ts'
import { CASSETTE_VERSION } from '../src/cassettes/interaction.ts'
import { createWriter } from '../src/cassettes/writer/writer.ts'
import { frozenClock } from '../src/clock.ts'
import { loadConfig } from '../src/config/load.ts'
import { createLogger } from '../src/observe/logger.ts'
import { createIds } from '../src/simulator/ids.ts'
import { startGateway } from '../src/start/gateway.ts'
import type { StartOptions } from '../src/start/options.ts'
import type { ActiveKey } from '../src/tokens/key-file.ts'
import { STORIES, type Story } from './recording-stories.ts'

const T0 = Date.UTC(2026, 0, 15, 9, 30)
/** A file that never changes has the same salt every time. */
const SALT = Buffer.from('sandgate-stories').toString('base64url')
const ORIGIN = 'http://127.0.0.1:8080'

/** Records one story into `directory`: a clock that stands still, seeded ids, no port, so the file never changes. */
async function recordStory(
  story: Story,
  directory: string,
  firstKey: NonNullable<StartOptions['firstKey']>,
): Promise<void> {
  const config = storyConfig(story)
  const clock = frozenClock(T0)
  const writer = await createWriter({
    path: join(directory, `${story.name}.har`),
    header: {
      version: CASSETTE_VERSION,
      product: 'sandgate/recordings',
      t0: T0,
      origin: ORIGIN,
      profile: 'contract',
      volatile: [...VOLATILE],
      outcomes: { from: 'configuration', rules: config.outcomes, scores: config.scores },
    },
    salt: SALT,
    allowHeaders: [],
    personal: true,
    secrets: [],
    existing: 'replace',
    leftover: 'discard',
  })
  let sequence = 0
  const gateway = await startGateway({
    config,
    clock,
    firstKey,
    ids: createIds(clock, seeded(story.name)),
    logger: createLogger({ requests: false, format: 'off' }),
    observer: {
      isActive: () => true,
      record: (exchange) =>
        writer.record({ ...exchange, startedAt: clock.now() + sequence++, durationMs: 1 }),
    },
  })
  try {
    await story.tell({ url: gateway.partnerUrl, advance: (seconds) => clock.advance(seconds * 1000) })
  } finally {
    await gateway.close()
  }
  await writer.finish()
}

function storyConfig({ settings = '' }: Story) {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-story-'))
  const file = join(directory, 'sandgate.yaml')
  const base = `listen: { port: 0, publicUrl: ${ORIGIN} }
operator: { port: 0 }
store: { engine: memory }
scores: { CUS-0001: 712 }
partners:
  - id: demo
    name: Demo partner
    tenant: tn_sandbox_demo
    scopes: [accounts:read, accounts:write, kyc:initiate, payments:write, webhooks:register]
    keys: [{ id: key_demo, sha256: 8a6268519048abe08a4ce718cad57d1879782013f728a4a925a1324e3866fdfb }]
`
  writeFileSync(file, `${base}${settings}`)
  const result = loadConfig({ file })
  rmSync(directory, { recursive: true })
  if (!result.ok) throw new Error(result.errors.map(({ message }) => message).join('\n'))
  return result.config
}

/** The same bytes in every run: SHA-256 over a counter. */
function seeded(seed: string): (bytes: number) => Buffer {
  let counter = 0
  return (bytes) => createHash('sha256').update(`${seed} ${counter++}`).digest().subarray(0, bytes)
}

/** Records every story into `directory`. */
export async function recordStories(directory: string): Promise<void> {
  // One key signs the tokens of all of them, and none is on a tape: making one takes longer than a story.
  let key: Promise<ActiveKey> | undefined
  for (const story of STORIES)
    await recordStory(story, directory, (make) => {
      key ??= make()
      return key
    })
}
