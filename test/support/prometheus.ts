import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { stringify } from 'yaml'
import { temporaryDirectory } from './gateway.ts'

/** A vector or scalar of the query API, as series with their values. */
export type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: number }

export type Rule = {
  readonly name: string
  readonly type: 'alerting' | 'recording'
  readonly query: string
  readonly health: string
  readonly lastError?: string
  readonly state?: string
}

export type Prometheus = {
  /** @throws Error when the expression cannot be evaluated. */
  readonly query: (expr: string) => Promise<readonly Sample[]>
  readonly rules: () => Promise<readonly Rule[]>
  readonly stop: () => Promise<void>
}

const RULES = ['sandgate-recording.yml', 'sandgate-alerts.yml'].map((name) =>
  resolve('dashboards/prometheus', name),
)

/** Debian's prometheus with the rules that ship; it scrapes the operator listener at `target` twice a second. */
export async function startPrometheus(target: string): Promise<Prometheus> {
  const directory = temporaryDirectory('prometheus')
  const file = join(directory, 'prometheus.yml')
  const job = { job_name: 'sandgate', static_configs: [{ targets: [new URL(target).host] }] }
  const global = { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '1s' }
  writeFileSync(file, stringify({ global, rule_files: RULES, scrape_configs: [job] }))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const url = `http://${address}`
  await ready(url, child)
  return {
    query: async (expr) => {
      const { resultType, result } = await ask(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)
      if (resultType === 'scalar') return [{ metric: {}, value: Number(result[1]) }]
      return result.map(({ metric, value }: { metric: Sample['metric']; value: [number, string] }) => ({
        metric,
        value: Number(value[1]),
      }))
    },
    rules: async () => {
      const { groups } = await ask(`${url}/api/v1/rules`)
      return groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
    },
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the shape depends on what was asked
async function ask(url: string): Promise<any> {
  const response = await fetch(url)
  const body = (await response.json()) as { status: string; error?: string; data: unknown }
  if (body.status !== 'success') throw new Error(`${decodeURIComponent(url)}: ${body.error}`)
  return body.data
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  for (let n = 0; n < 200; n++) {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${errors}`)
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((done) => setTimeout(done, 100))
  }
  child.kill('SIGKILL')
  throw new Error(`prometheus did not get ready: ${errors}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((done) => server.close(done))
  if (address === null || typeof address === 'string') throw new TypeError('a port was expected')
  return address.port
}

/** Runs promtool and returns what it says; fails the test with that when it does not agree. */
export function promtool(args: readonly string[], input?: string | Buffer): string {
  try {
    return execFileSync('promtool', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}`)
  }
}
