import { loadConfig } from '../../src/config/load.ts'
import { createLogger } from '../../src/observe/logger.ts'
import type { Metrics } from '../../src/observe/metrics.ts'
import { NO_HISTORY } from '../../src/observe/usage-history.ts'
import { startGateway } from '../../src/start/gateway.ts'

/** The gateway as the product starts it, or (`uncounted`) without metrics and usage history. */
const [file = '', path = '', counting] = process.argv.slice(2)
const flags = [
  { source: 'bench', path: ['listen', 'port'], value: 0 },
  { source: 'bench', path: ['operator', 'port'], value: 0 },
  { source: 'bench', path: ['store', 'path'], value: path },
]
const loaded = loadConfig({ file, flags })
if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors))

const nothing = () => {}
const NO_METRICS: Metrics = {
  answered: nothing,
  decided: nothing,
  decisionTook: nothing,
  capRefused: nothing,
  count: nothing,
  observe: nothing,
  configured: nothing,
  expose: async () => Buffer.alloc(0),
}
const gateway = await startGateway({
  config: loaded.config,
  logger: createLogger(loaded.config.log),
  ...(counting === 'uncounted' && { counts: { metrics: NO_METRICS, history: NO_HISTORY } }),
})
console.log(gateway.partnerUrl)
process.on('SIGTERM', () => void gateway.close().then(() => process.exit(0)))
