import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { EFFORT, MANY_PARTNERS, WAIT_MS } from '../support/effort.ts'
import { startGateway, temporaryDirectory } from '../support/gateway.ts'
import { callerFor, get } from '../support/http.ts'
import { partner, partnerConfig } from '../support/partners.ts'

/** The longest time in which the gateway did nothing else, from its own event loop: seconds. */
const longestStall = async (operatorUrl: string): Promise<number> => {
  const text = await (await fetch(`${operatorUrl}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds ([0-9.e-]+)$/m.exec(text)?.[1])
}

it(`a reload of ${MANY_PARTNERS} partners stops nobody: it is read in a thread, and taken over in pieces`, async () => {
  const all = Array.from({ length: MANY_PARTNERS }, (_, i) => partner(`many-${i}`))
  const file = join(temporaryDirectory('partners'), 'partners.yaml')
  // One partner a line, which is YAML as well, and written in no time.
  const text = (limit: number) =>
    all
      .map((each) => `- ${JSON.stringify(partnerConfig({ ...each, rateLimits: { other: limit } }))}\n`)
      .join('')
  const [first] = all
  if (!first) throw new TypeError('no partner')
  writeFileSync(file, text(100))
  const config = stringify({ log: { format: 'json' }, server: { maxLoopDelayMs: 60_000 }, partners: file })
  writeFileSync(join(dirname(file), 'sandgate.yaml'), config)
  const gateway = await startGateway({ partners: all, config })
  const caller = callerFor(gateway, first)
  const limit = async () => Number((await get(caller, '/v1/accounts')).headers['x-ratelimit-limit'])
  expect(await limit()).toBe(100)
  const changed = text(200)

  // What came before is over: the measure begins anew each time that it is read.
  await longestStall(gateway.operatorUrl)
  writeFileSync(file, changed)
  const deadline = performance.now() + WAIT_MS
  let slowest = 0
  for (let now = 100; now !== 200 && performance.now() < deadline; ) {
    const startedAt = performance.now()
    await fetch(`${gateway.operatorUrl}/livez`)
    slowest = Math.max(slowest, performance.now() - startedAt)
    now = await limit()
    await sleep(25)
  }
  const longest = await longestStall(gateway.operatorUrl)
  expect(await limit()).toBe(200)
  console.info(
    `${MANY_PARTNERS} partners reloaded: the longest stall was ${(longest * 1000).toFixed(0)} ms, the slowest /livez took ${slowest.toFixed(0)} ms`,
  )
  // Reading them in place stalls for as long as it takes here: a machine with other work makes both longer.
  const readAt = performance.now()
  expect(loadConfig({ file: join(dirname(file), 'sandgate.yaml'), env: {} })).toMatchObject({ ok: true })
  const inPlace = performance.now() - readAt
  console.info(`reading them in place takes ${inPlace.toFixed(0)} ms`)
  expect(slowest).toBeLessThan(EFFORT === 'soak' ? 100 : inPlace / 2)

  writeFileSync(file, '- id: broken\n')
  const ready = async () =>
    (await (await fetch(`${gateway.operatorUrl}/readyz`)).json()) as { configuration: object }
  await expect
    .poll(async () => (await ready()).configuration, { timeout: WAIT_MS })
    .toMatchObject({ ok: false })
  expect(await limit()).toBe(200)
  await gateway.stop()
})
