import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { CapturedExchange } from '../src/cassettes/interaction.ts'
import { temporaryDirectory } from './clean-up.ts'
import { accounts, documents, record } from './recorded.ts'
import { median } from './rounds.ts'

type Loading = { readonly wallMs: number; readonly cpuMs: number; readonly peakMb: number }

const CHILD = join(import.meta.dirname, 'loading-child.js')
const CASSETTES: readonly (readonly [string, Iterable<CapturedExchange>])[] = [
  ['many small entries', accounts(22_700)],
  ['few large bodies', documents(46)],
]

/** What it takes to load a cassette of about 100 MB, beside what JSON.parse takes for the same file. */
export async function benchLoading(rounds: number): Promise<void> {
  const directory = temporaryDirectory()
  const lines: string[] = []
  for (const [title, exchanges] of CASSETTES) {
    const file = join(directory.path, `${title.replaceAll(' ', '-')}.har`)
    await record(file, exchanges)
    const size = `${title}, ${Math.round(statSync(file).size / 1e6)} MB`
    const results = { cassette: [] as Loading[], json: [] as Loading[] }
    for (let i = 0; i < rounds; i++) {
      for (const how of ['cassette', 'json'] as const) results[how].push(loading(how, file))
    }
    lines.push(row(`${size}: Sandgate`, results.cassette), row(`${size}: JSON.parse`, results.json))
  }
  directory.remove()
  console.log(
    `### Loading a cassette, median of ${rounds} fresh processes\n\n| Cassette | CPU ms | Wall ms | Peak resident MB |\n|---|--:|--:|--:|\n${lines.join('\n')}\n`,
  )
}

function loading(how: 'cassette' | 'json', file: string): Loading {
  return JSON.parse(execFileSync(process.execPath, [CHILD, how, file], { encoding: 'utf8' }))
}

function row(name: string, loadings: readonly Loading[]): string {
  const figures = (['cpuMs', 'wallMs', 'peakMb'] as const).map((key) =>
    median(loadings.map((loading) => loading[key])).toFixed(0),
  )
  return `| ${name} | ${figures.join(' | ')} |`
}
