import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { resolve } from 'node:path'
import { atTheEnd } from './clean-up.ts'

const SETTLE_MS = 300

/** A server under measurement. It is stopped (SIGSTOP) whenever another one is measured. */
export type Subject = {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly pause: () => void
  /** Resolves when it takes requests again: one that was stopped finds its event loop late and sheds load at first. */
  readonly resume: () => Promise<void>
  readonly stop: () => Promise<void>
}

export type Launch = {
  readonly name: string
  readonly command: readonly string[]
  /** Where it will listen; without it, the first URL that it prints. */
  readonly port?: number
  /** What it may take before it listens. */
  readonly limits?: Limits
  /** As taskset names them; by default the one that the load generator leaves alone. */
  readonly cores?: string
}

export type Limits = { readonly seconds: number; readonly residentMb: number }

/** Why a server could not be measured. */
export class NotStarted extends Error {}

export const ROOT = resolve(import.meta.dirname, '../..')

const SERVER_CORE = '0'
const DEFAULT_LIMITS: Limits = { seconds: 30, residentMb: 4096 }
const STOP_MS = 10_000
const POLL_MS = 50
const KEPT_COMPLAINT = 400

/** @throws NotStarted */
export async function start(launch: Launch): Promise<Subject> {
  const { name, command, port, limits = DEFAULT_LIMITS, cores = SERVER_CORE } = launch
  const child = spawn('taskset', ['-c', cores, ...command], {
    cwd: ROOT,
    stdio: ['ignore', port === undefined ? 'pipe' : 'ignore', 'pipe'],
  })
  const kill = atTheEnd(() => child.kill('SIGKILL'))
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const stop = async () => {
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    const patience = setTimeout(kill, STOP_MS)
    await ended
    clearTimeout(patience)
    kill()
  }
  try {
    const url = await listening(child, port, limits)
    const { pid } = child
    if (pid === undefined) throw new NotStarted('has no process id')
    return {
      name,
      url,
      pid,
      pause: () => child.kill('SIGSTOP'),
      resume: () => {
        child.kill('SIGCONT')
        return new Promise((next) => setTimeout(next, SETTLE_MS))
      },
      stop,
    }
  } catch (error) {
    kill()
    throw error
  }
}

async function listening(child: ChildProcess, port: number | undefined, limits: Limits): Promise<string> {
  const complaint = lastWords(child)
  const printed = firstUrl(child)
  let hasEnded = false
  child.once('exit', () => {
    hasEnded = true
  })
  child.once('error', () => {
    hasEnded = true
  })
  for (const startedAt = performance.now(); ; await new Promise((next) => setTimeout(next, POLL_MS))) {
    if (hasEnded) throw new NotStarted(`ended before it listened: ${complaint()}`)
    if (port === undefined && printed() !== undefined) return printed() ?? ''
    if (port !== undefined && (await accepts(port))) return `http://127.0.0.1:${port}`
    if (performance.now() - startedAt > limits.seconds * 1000)
      throw new NotStarted(`did not start within ${limits.seconds} s`)
    if (child.pid !== undefined && residentMb(child.pid) > limits.residentMb)
      throw new NotStarted(`took more than ${limits.residentMb} MB before it listened`)
  }
}

/** What it prints after the first URL is thrown away. */
function firstUrl(child: ChildProcess): () => string | undefined {
  let text = ''
  let url: string | undefined
  child.stdout?.on('data', (chunk: Buffer) => {
    if (url !== undefined || text.length > 65_536) return
    text += chunk.toString()
    url = /http:\/\/127\.0\.0\.1:[0-9]+/.exec(text)?.[0]
  })
  return () => url
}

function lastWords(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-KEPT_COMPLAINT)
  })
  return () => text.trim().replaceAll('\n', ' ')
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((next) => server.once('listening', next))
  const { port } = server.address() as AddressInfo
  await new Promise((next) => server.close(next))
  return port
}

/** Of a process that may have ended. */
export function residentMb(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes ?? 0) / 1024)
  } catch {
    return 0
  }
}
