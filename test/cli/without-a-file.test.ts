import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runHere } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'

const empty = mkdtempSync(join(tmpdir(), 'sandgate-empty-'))
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ partners: [partner('demo')], runs: 'here' })
})
afterAll(async () => {
  await gateway.stop()
  rmSync(empty, { recursive: true })
})

const ASKING = [
  { args: ['usage'], says: /^demo, tn_sandbox_demo/, without: 1 },
  { args: ['data', 'usage', '--partner', 'demo'], says: /accounts +0 +100000/, without: 4 },
  { args: ['signing-keys', 'list'], says: /active/, without: 4 },
]

it.each(ASKING)('$args asks the gateway that runs in a directory without a file', async ({ args, says }) => {
  const ended = await runHere(args, { SANDGATE_STORE_PATH: gateway.dataDir }, empty)
  expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(says) })
})

it.each(ASKING)('$args says in a sentence that none runs there', async ({ args, without }) => {
  const port = { SANDGATE_OPERATOR_PORT: '1' }
  const ended = await runHere(args, port, empty)
  expect(ended).toMatchObject({ code: without, out: '', err: expect.stringMatching(/^sandgate .*\n$/) })
})
