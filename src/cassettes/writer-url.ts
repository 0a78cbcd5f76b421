/**
 * Where the recorder's thread starts. Node 20 runs no TypeScript in a thread, so when the sources themselves are
 * imported, as the tests do, it is the compiled file.
 */
export function workerUrl(): URL {
  const here = import.meta.url
  return here.endsWith('.ts')
    ? new URL('../../dist/cassettes/writer-worker.js', here)
    : new URL('./writer-worker.js', here)
}
