import { copyFileSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { isSealed, SEAL_FILE } from '../../src/store/seal.ts'
import { runs } from '../support/effort.ts'
import { temporaryDirectories } from '../support/store-directory.ts'
import { storeProcesses } from '../support/store-process.ts'
import { put, record } from '../support/store-work.ts'

const directory = temporaryDirectories()
const start = storeProcesses()

async function closed(): Promise<{ path: string; file: string }> {
  const path = directory()
  const store = await openEmbeddedStore({ path })
  await put(store, [record('acc_1', 'x'.repeat(9000))])
  await store.close()
  return { path, file: join(path, 'data.mdb') }
}

describe('a data file that its owner has closed', () => {
  it('is sealed, for its owner alone, again after every clean stop', async () => {
    const { path } = await closed()
    expect(isSealed(path)).toBe(true)
    expect(statSync(join(path, SEAL_FILE)).mode & 0o777).toBe(0o600)
    const store = await openEmbeddedStore({ path })
    expect(isSealed(path)).toBe(false)
    await store.close()
    expect(isSealed(path)).toBe(true)
  })

  it('is not after a process that was killed', async () => {
    const { path } = await closed()
    const owner = start()
    await owner.call('open', path)
    await owner.kill()
    expect(isSealed(path)).toBe(false)
    await (await openEmbeddedStore({ path })).close()
    expect(isSealed(path)).toBe(true)
  })

  it('is not once it was changed, however soon, and whatever times it is given', async () => {
    const { path, file } = await closed()
    const whole = readFileSync(file)
    const kept = statSync(file)
    const change = fc.record({
      at: fc.nat({ max: whole.length - 1 }),
      by: fc.integer({ min: 1, max: 255 }),
      isCut: fc.boolean(),
      keepsTimes: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ at, by, isCut, keepsTimes }) => {
        writeFileSync(file, whole)
        await (await openEmbeddedStore({ path })).close()
        expect(isSealed(path)).toBe(true)
        if (isCut) truncateSync(file, at)
        else {
          const bytes = readFileSync(file)
          bytes[at] = (bytes[at] ?? 0) ^ by
          writeFileSync(file, bytes)
        }
        if (keepsTimes) utimesSync(file, kept.atime, kept.mtime)
        expect(isSealed(path)).toBe(false)
      }),
      { numRuns: runs(20) },
    )
  })

  it('is not as a copy, nor with a seal of another file, nor with a seal that says nothing', async () => {
    const [one, other] = [await closed(), await closed()]
    copyFileSync(one.file, other.file)
    expect(isSealed(other.path)).toBe(false)
    copyFileSync(join(one.path, SEAL_FILE), join(other.path, SEAL_FILE))
    expect(isSealed(other.path)).toBe(false)
    writeFileSync(join(one.path, SEAL_FILE), '')
    expect(isSealed(one.path)).toBe(false)
  })

  it('is refused when it was cut after a clean stop', async () => {
    const { path, file } = await closed()
    truncateSync(file, 9000)
    await expect(openEmbeddedStore({ path })).rejects.toMatchObject({ reason: 'damaged' })
  })
})
