import { Worker, type WorkerOptions } from 'node:worker_threads'
import { packageRoot } from './product.ts'

/**
 * A thread of this program, which begins with a compiled file: Node 20 runs no TypeScript in a thread, so the build is
 * needed also when the sources themselves are imported, as the tests do.
 */
export function startProgramThread(file: string, options: WorkerOptions): Worker {
  const url = new URL(`dist/${file}`, packageRoot())
  // A thread has the options of its process, and with this one Node begins with a text alone.
  const isText = process.execArgv.some((option) => option.startsWith('--input-type'))
  return isText
    ? new Worker(`import(${JSON.stringify(url.href)})`, { ...options, eval: true })
    : new Worker(url, options)
}
