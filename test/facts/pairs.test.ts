import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import type { PairDigest } from '../../src/cassettes/interaction.ts'
import { mergeCassettes } from '../../src/cassettes/merging/merge.ts'
import { lintCassette } from '../../src/cassettes/tools/lint.ts'
import { getOrMake } from '../../src/map-entries.ts'
import { replay } from '../../src/sandgate.ts'
import { CLIENTS, LENIENT, type Target, targetAt, WAYS, type Way } from './ways.ts'

const [one] = CLIENTS
const WRONG = `${one.secret.slice(0, -1)}?`

type Pair = { readonly id?: string; readonly secret: string; readonly by?: 'form' | 'json' | 'basic' }

const right: Pair = { secret: one.secret }
const wrong: Pair = { secret: WRONG }

/** The statuses of one token exchange after the other. */
async function exchanged(target: Target, pairs: readonly Pair[]): Promise<number[]> {
  const statuses: number[] = []
  for (const { id = one.keyId, secret, by = 'form' } of pairs) {
    const body = { client_id: id, client_secret: secret }
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    const { status } = await target.send({
      method: 'POST',
      path: '/auth/token',
      headers:
        by === 'json'
          ? [['content-type', 'application/json']]
          : [
              ['content-type', 'application/x-www-form-urlencoded'],
              ...(by === 'basic' ? [['authorization', basic] as const] : []),
            ],
      body: by === 'json' ? JSON.stringify(body) : by === 'basic' ? '' : new URLSearchParams(body).toString(),
    })
    statuses.push(status)
  }
  return statuses
}

async function recorded(way: Way, pairs: readonly Pair[]): Promise<string> {
  return way.record(async (target) => {
    await exchanged(target, pairs)
  })
}

/** Each list of pairs in a lane of its own, which finds the recording as nobody has used it. */
async function replayed(file: string, lanes: readonly (readonly Pair[])[]) {
  const tape = await replay(file)
  const statuses: number[][] = []
  for (const [i, pairs] of lanes.entries())
    statuses.push(await exchanged(targetAt(`${tape.url}/_lane/tests-${i}`), pairs))
  return { statuses, ledger: await tape.close() }
}

const TELLING = WAYS.filter((way) => way !== LENIENT)

const nobody: Pair = { id: 'key_nobody', secret: 'hunter2-hunter2' }
const files = new Map<Way, Promise<string>>()
/** A recording of a granted pair and of two refused ones, made once: their digests are slow. */
const fileOf = (way: Way) => getOrMake(files, way, () => recorded(way, [right, wrong, nobody]))

describe.each(TELLING)('two secrets, recorded by $name', (way) => {
  let file = ''
  beforeAll(async () => {
    file = await fileOf(way)
  })

  // A digest is slow by intention, and a tape makes it once for each pair.
  it('are never one: the refused pair is refused in any order, and every other one gets its token', async () => {
    const other: Pair = { secret: 'whatever CI has' }
    const asJson: Pair = { ...wrong, by: 'json' }
    const asBasic: Pair = { ...wrong, by: 'basic' }
    const all = await replayed(file, [
      [right, right, right],
      [wrong, wrong, right, other, wrong, nobody],
      [asBasic, asJson],
    ])
    expect(all.statuses).toEqual([
      [200, 200, 200],
      [401, 401, 200, 200, 401, 401],
      [401, 401],
    ])
    expect(all.ledger).toMatchObject({ missed: 0, unused: [], refused: [] })
  })

  it('leave neither half in the file, and lint knows the digest', async () => {
    const text = readFileSync(file, 'utf8')
    for (const secret of [WRONG, 'hunter2']) expect(text).not.toContain(secret)
    const [granted, ...digests] = loadCassette(file).interactions.map(({ refusedPair }) => refusedPair)
    expect(granted).toBeUndefined()
    expect(digests).toMatchObject([{ kind: 'scrypt' }, { kind: 'scrypt' }])
    expect(new Set(digests.map((pair) => pair?.digest)).size).toBe(2)
    expect(lintCassette(file).filter(({ severity }) => severity === 'error')).toEqual([])
  })
})

describe('the digest of a refused pair', () => {
  const [frontDoor] = WAYS
  const record = (pairs: readonly Pair[]) => {
    if (!frontDoor) throw new Error('there is a front door')
    return recorded(frontDoor, pairs)
  }

  it('has a salt of its own in every recording, which a merge keeps', async () => {
    const made = await Promise.all(TELLING.slice(0, 2).map(fileOf))
    const loaded = made.map((file) => loadCassette(file))
    const pairs = loaded.map(({ interactions }) =>
      interactions.flatMap(({ refusedPair }) => refusedPair ?? []),
    )
    const salts = pairs.map((each) => new Set(each.map((pair) => pair.kind === 'scrypt' && pair.salt)))
    expect(salts.map(({ size }) => size)).toEqual([1, 1])
    expect(salts[0]).not.toEqual(salts[1])
    const byDigest = (one: PairDigest, other: PairDigest) => (one.digest < other.digest ? -1 : 1)
    const merged = mergeCassettes(loaded).interactions.flatMap(({ refusedPair }) => refusedPair ?? [])
    expect(merged.sort(byDigest)).toEqual(pairs.flat().sort(byDigest))
  })

  it('is not made for another refusal', async () => {
    const file = await recorded(WAYS[1] as Way, [{ secret: '' }])
    expect(loadCassette(file).interactions[0]?.refusedPair).toBeUndefined()
  })

  it('puts what was refused into the lane of the client that it names, and a secret name into client-1', async () => {
    const file = await record([wrong, { id: one.secret, secret: 'x'.repeat(20) }])
    expect(loadCassette(file).interactions.map(({ lane }) => lane)).toEqual([one.keyId, 'client-1'])
  })
})
