import { packageRoot } from '../product.ts'

/**
 * Where the recorder's thread starts: always the compiled file. Node 20 runs no TypeScript in a thread, so the build
 * is needed also when the sources themselves are imported, as the tests do.
 */
export function workerUrl(): URL {
  return new URL('dist/cassettes/writer-worker.js', packageRoot())
}
