import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const pending = new Set<() => void>()

/** Registers what must not be left behind, whatever ends the program. The returned function does it at once. */
export function atTheEnd(action: () => void): () => void {
  pending.add(action)
  return () => {
    if (pending.delete(action)) action()
  }
}

process.on('exit', () => {
  for (const action of pending) action()
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(130))
}

export type TemporaryDirectory = { readonly path: string; readonly remove: () => void }

export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'sandgate-bench-'))
  return { path, remove: atTheEnd(() => rmSync(path, { recursive: true, force: true })) }
}
