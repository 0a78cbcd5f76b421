import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { atTheEnd } from './clean-up.ts'
import type { Subject } from './process.ts'

export type Load = {
  readonly path: string
  readonly connections: number
  readonly seconds: number
  /** A Lua script of bench/lua, and what it is told. */
  readonly script?: string
  readonly args?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** When an answer counts as lost; wrk's own limit by default. */
  readonly timeoutSeconds?: number
}

export type Measured = {
  /** Answered with 2xx or 3xx. */
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Other answers, and socket errors. */
  readonly failures: number
}

const LOAD_CORE = '1'
const LUA = join(import.meta.dirname, '../../bench/lua')

/** One run of wrk, pinned to the other core, against one server. */
export async function measure(subject: Subject, load: Load): Promise<Measured> {
  const args = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--latency']
  if (load.timeoutSeconds) args.push('--timeout', `${load.timeoutSeconds}s`)
  for (const [name, value] of Object.entries(load.headers ?? {})) args.push('-H', `${name}: ${value}`)
  if (load.script) args.push('-s', join(LUA, load.script))
  args.push(`${subject.url}${load.path}`, '--', ...(load.args ?? []))
  return read(await output('taskset', ['-c', LOAD_CORE, 'wrk', ...args]))
}

function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const kill = atTheEnd(() => child.kill('SIGKILL'))
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.once('error', fail)
    child.once('close', (code) => {
      kill()
      if (code === 0) done(text)
      else fail(new Error(`wrk ended with ${code}`))
    })
  })
}

function read(report: string): Measured {
  const number = (pattern: RegExp) => Number(pattern.exec(report)?.[1] ?? 0)
  const socketErrors = [...(/Socket errors: (.*)/.exec(report)?.[1] ?? '').matchAll(/[0-9]+/g)]
  const answers = number(/([0-9]+) requests in/)
  const refusals = number(/Non-2xx or 3xx responses: ([0-9]+)/)
  return {
    requestsPerSecond:
      answers > 0 ? (number(/Requests\/sec:\s+([0-9.]+)/) * (answers - refusals)) / answers : 0,
    p50Ms: milliseconds(/50%\s+([0-9.]+)(us|ms|s)/.exec(report)),
    p99Ms: milliseconds(/99%\s+([0-9.]+)(us|ms|s)/.exec(report)),
    failures: refusals + socketErrors.reduce((sum, [n]) => sum + Number(n), 0),
  }
}

function milliseconds(match: RegExpExecArray | null): number {
  const [, value = '0', unit = 'ms'] = match ?? []
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1)
}
