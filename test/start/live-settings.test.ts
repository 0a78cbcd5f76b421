import { expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Config } from '../../src/config/schema.ts'
import { createIds } from '../../src/simulator/ids.ts'
import { createLiveSettings } from '../../src/start/live-settings.ts'
import { createMemoryStore } from '../../src/store/memory.ts'

const loaded = loadConfig({ file: null })
if (!loaded.ok) throw new Error('the built-in defaults have mistakes')
const { config } = loaded
const shared = {
  store: createMemoryStore(),
  ids: createIds(systemClock),
  publicUrl: () => 'http://localhost',
}
const nobody = { before: () => {}, after: () => {} }
const withWindow = (windowSeconds: number): Config => ({
  ...config,
  rateLimits: { ...config.rateLimits, windowSeconds },
})

it('a configuration that one of its followers cannot take is reported, and the next one is taken all the same', async () => {
  const live = createLiveSettings(config, shared)
  const fault = new Error('no such certificate')
  const failing = {
    ...nobody,
    before: () => {
      throw fault
    },
  }
  const [refused, taken] = await Promise.allSettled([
    live.use(withWindow(30), failing),
    live.use(withWindow(20), nobody),
  ])
  expect(refused).toEqual({ status: 'rejected', reason: fault })
  expect(taken.status).toBe('fulfilled')
  expect(live.current().config.rateLimits.windowSeconds).toBe(20)
  expect(live.generation()).toBe(2)
})

it('configurations are taken in the order in which they were asked for', async () => {
  const live = createLiveSettings(config, shared)
  await Promise.all([10, 20, 30].map((seconds) => live.use(withWindow(seconds), nobody)))
  expect(live.current().config.rateLimits.windowSeconds).toBe(30)
  expect(live.generation()).toBe(4)
})
