import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './rounds.ts'

/** The median of fdatasync after a 16 KiB write, in milliseconds: what a durable answer waits for at the least. */
export function fdatasyncMedianMs(): number {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-disk-'))
  const file = openSync(join(directory, 'file'), 'w')
  const block = Buffer.alloc(16_384)
  const times: number[] = []
  for (let i = 0; i < 200; i++) {
    writeSync(file, block, 0, block.length, i * block.length)
    const startedAt = performance.now()
    fdatasyncSync(file)
    times.push(performance.now() - startedAt)
  }
  closeSync(file)
  rmSync(directory, { recursive: true })
  return median(times)
}
