import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterEach } from 'vitest'

export type Refused = { readonly name: string; readonly reason?: string; readonly message: string }

/** A store in a child process. Calls answer with what the child's call returned; what it threw is a Refusal. */
export type StoreProcess = {
  readonly pid: number
  /** Keys whose settlement the child has seen acknowledged, and all that it has begun. */
  readonly acknowledged: ReadonlySet<string>
  readonly begun: ReadonlySet<string>
  /** Resolves when so many more settlements have been acknowledged. */
  acknowledges(count: number): Promise<void>
  call<T>(call: string, argument?: unknown): Promise<T>
  kill(): Promise<void>
  /** What it has written on stderr. */
  stderr(): string
  /** Sets RLIMIT_FSIZE, the soft limit: a full disk that needs no root, and that can be taken back. */
  limitFileSize(bytes: number | 'unlimited'): void
}

export class Refusal extends Error {
  readonly refused: Refused
  constructor(refused: Refused) {
    super(refused.message)
    this.refused = refused
  }
}

type Message = {
  id?: number
  result?: unknown
  refused?: Refused
  acknowledged?: string
  begun?: string
}

/** Starts child processes, and kills after each test, or when another hook runs, those that are left. */
export function storeProcesses(hook: (end: () => Promise<void>) => void = afterEach): () => StoreProcess {
  const started: ChildProcess[] = []
  hook(async () => {
    for (const child of started.splice(0)) await kill(child)
  })
  return () => {
    const child = fork(new URL('./store-child.mjs', import.meta.url), {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    started.push(child)
    return follow(child)
  }
}

function follow(child: ChildProcess): StoreProcess {
  const acknowledged = new Set<string>()
  const begun = new Set<string>()
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  let calls = 0
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.on('message', (message: Message) => {
    if (message.acknowledged !== undefined) {
      acknowledged.add(message.acknowledged)
      child.emit('acknowledged')
    }
    if (message.begun !== undefined) begun.add(message.begun)
    const waiter = waiting.get(message.id ?? 0)
    if (waiter === undefined) return
    waiting.delete(message.id ?? 0)
    if (message.refused === undefined) waiter.resolve(message.result as never)
    else waiter.reject(new Refusal(message.refused))
  })
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`the child ended: ${code ?? signal}`))
    waiting.clear()
  })
  return {
    pid: child.pid ?? 0,
    acknowledged,
    begun,
    acknowledges: async (count) => {
      const enough = acknowledged.size + count
      while (acknowledged.size < enough) await once(child, 'acknowledged')
    },
    call: (call, argument) =>
      new Promise((resolve, reject) => {
        const id = ++calls
        waiting.set(id, { resolve, reject })
        child.send({ id, call, argument }, (error) => error && reject(error))
      }),
    kill: () => kill(child),
    stderr: () => stderr,
    limitFileSize: (bytes) => {
      execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`])
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
