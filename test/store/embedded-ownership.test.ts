import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { temporaryDirectories } from '../support/store-directory.ts'
import { storeProcesses } from '../support/store-process.ts'
import { claim, finish, permitFor } from '../support/store-work.ts'

const directory = temporaryDirectories()
const start = storeProcesses()

const sockets = (path: string): string[] => readdirSync(path).filter((name) => name.endsWith('.sock'))

it('a second process is refused, and told by whom and what to do', async () => {
  const path = directory()
  const [owner, second] = [start(), start()]
  await owner.call('open', path)
  await expect(second.call('open', path)).rejects.toMatchObject({
    refused: {
      name: 'StoreOpenError',
      reason: 'in-use',
      message: `${path} is in use by process ${owner.pid}. Stop that process, or give this one another store path.`,
    },
  })
  expect(await owner.call('one', { key: 'key-1' })).toBe('settled')
  expect(sockets(path)).toHaveLength(1)
})

it('the same process cannot open a directory twice, and its first store goes on', async () => {
  const path = directory()
  const store = await openEmbeddedStore({ path })
  await expect(openEmbeddedStore({ path })).rejects.toMatchObject({ reason: 'in-use' })
  expect(await finish(store, await permitFor(store, { claim: claim() }))).toEqual({ kind: 'settled' })
  await store.close()
})

it('of two that start at once, exactly one wins: first start and take-over alike', async () => {
  const path = directory()
  let children = [start(), start()]
  for (let round = 0; round < 4; round++) {
    children.push(start())
    const results = await Promise.allSettled(children.map((child) => child.call('open', path)))
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ refused: { reason: 'in-use' } })
    }
    // Whoever won leaves a dead owner's record and socket to the next round, in which the others try again.
    const winner = children.find((_, which) => results[which]?.status === 'fulfilled')
    await winner?.kill()
    children = children.filter((child) => child !== winner)
  }
})

it('after kill -9 the next start takes over at once, and removes the dead socket', async () => {
  const path = directory()
  const owner = start()
  await owner.call('open', path)
  const [dead] = sockets(path)
  await owner.kill()
  const store = await openEmbeddedStore({ path })
  expect(sockets(path)).toHaveLength(1)
  expect(sockets(path)).not.toContain(dead)
  await store.close()
})

it('a closed store leaves no socket, and the directory can be opened again', async () => {
  const path = directory()
  await (await openEmbeddedStore({ path })).close()
  expect(sockets(path)).toEqual([])
  await (await openEmbeddedStore({ path })).close()
})

it('a path too long for a socket address works, and is still owned', async () => {
  const path = join(directory(), 'x'.repeat(120))
  const store = await openEmbeddedStore({ path })
  await expect(start().call('open', path)).rejects.toMatchObject({ refused: { reason: 'in-use' } })
  await store.close()
  expect(sockets(path)).toEqual([])
})
