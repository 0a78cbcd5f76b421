import { readFileSync } from 'node:fs'
import { loadCassette } from '../src/cassettes/file/load.ts'

/** Loads one file in a process of its own and prints what that took, as JSON. */
const [how = '', file = ''] = process.argv.slice(2)
const before = process.cpuUsage()
const startedAt = performance.now()
const loaded = how === 'cassette' ? loadCassette(file) : JSON.parse(readFileSync(file, 'utf8'))
const wallMs = performance.now() - startedAt
const { user, system } = process.cpuUsage(before)
if (loaded === undefined) throw new Error('nothing was loaded')
console.log(
  JSON.stringify({
    wallMs,
    cpuMs: (user + system) / 1000,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
)
