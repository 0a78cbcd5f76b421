import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { type Meta, readMeta } from '../../src/store/lmdb-file.ts'

/** Directories for a test file's stores, removed after each test. */
export function temporaryDirectories(): () => string {
  const made: string[] = []
  afterEach(() => {
    for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
  })
  return () => {
    const path = mkdtempSync(join(tmpdir(), 'sandgate-store-'))
    made.push(path)
    return join(path, 'data')
  }
}

/** What the newer meta page of a data file says. */
export function metaOf(path: string): Meta {
  const descriptor = openSync(path, 'r')
  try {
    return readMeta(descriptor, fstatSync(descriptor).size)
  } finally {
    closeSync(descriptor)
  }
}

/** Where the last page ends that LMDB uses; what is behind it is room. */
export function usedBytes(path: string): number {
  const { lastPage, pageBytes } = metaOf(path)
  return (lastPage + 1) * pageBytes
}
