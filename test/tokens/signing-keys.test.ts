import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importJWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, inject, it } from 'vitest'
import { frozenClock } from '../../src/clock.ts'
import { SigningKeysError } from '../../src/tokens/key-file.ts'
import { createSigningKeys } from '../../src/tokens/signing-keys.ts'
import { anyKeyPair } from '../support/key-pairs.ts'
import { given, START, temporaryDirectory } from './fixtures.ts'

const HOUR = 3_600_000

function open(
  directory: string | null,
  clock = frozenClock(START),
  lifetimeSeconds = 3600,
  publishSeconds = 0,
) {
  return createSigningKeys({ directory, clock, lifetimeSeconds, publishSeconds, makePair: anyKeyPair })
}

/** With keys that are made as they are in a gateway. */
function openReal(directory: string | null) {
  return createSigningKeys({
    directory,
    clock: frozenClock(START),
    lifetimeSeconds: 3600,
    publishSeconds: 0,
  })
}

/** The file of a key that was made for all tests. */
const whole = inject('signingKeys').front

/** A data directory that has a key already: making one takes long. */
function usedDirectory(): string {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'signing-keys.json'), whole)
  return directory
}

describe('a key that is published before it signs', () => {
  const WAIT = 300
  const fileOf = (directory: string) => JSON.parse(readFileSync(join(directory, 'signing-keys.json'), 'utf8'))

  it('signs from its instant on and not before, in this process and in one that reads the file', async () => {
    const clock = frozenClock(START)
    const directory = usedDirectory()
    const keys = open(directory, clock, 3600, WAIT)
    const old = (await keys.active()).kid
    const { kid } = await keys.rotate()
    expect((await keys.jwks()).keys.map((key) => key.kid)).toEqual([old, kid])
    expect(await keys.list()).toMatchObject([
      { kid: old, state: 'active' },
      { kid, state: 'next', signsAt: '2026-01-05T08:05:00.000Z' },
    ])
    clock.advance(WAIT * 1000 - 1)
    expect((await keys.active()).kid).toBe(old)
    expect((await open(directory, clock, 3600, WAIT).active()).kid).toBe(old)
    const generation = keys.generation()
    clock.advance(1)
    const later = open(directory, clock, 3600, WAIT)
    for (const each of [keys, later]) {
      expect((await each.active()).kid).toBe(kid)
      expect((await each.list())[1]).toMatchObject({
        state: 'retiring',
        expiresAt: '2026-01-05T09:05:00.000Z',
      })
    }
    expect(keys.generation()).not.toBe(generation)
    await keys.rotate('now')
    expect(Object.keys(fileOf(directory).retiring[1].publicKey)).not.toContain('d')
  })

  it('takes the private half of the old one off the disk when it begins to sign', async () => {
    const clock = frozenClock(START)
    const directory = usedDirectory()
    const keys = open(directory, clock, 3600, WAIT)
    await keys.rotate()
    clock.advance(WAIT * 1000)
    await keys.active()
    await expect.poll(() => fileOf(directory).retiring).toHaveLength(1)
    expect(fileOf(directory).next).toBeUndefined()
  })

  it('verifies what it has signed although the clock goes back behind its instant', async () => {
    const directory = usedDirectory()
    const clock = frozenClock(START)
    const { kid } = await open(directory, clock, 3600, WAIT).rotate()
    expect(open(directory, clock, 3600, WAIT).find(kid)).toBeDefined()
  })

  it('is the next one, however often it is asked for', async () => {
    const keys = open(usedDirectory(), frozenClock(START), 3600, WAIT)
    const made = await Promise.all([keys.rotate(), keys.rotate()])
    expect(new Set(made.map(({ kid }) => kid)).size).toBe(1)
    expect((await keys.rotate('now')).kid).toBe(made[0]?.kid)
    expect((await keys.active()).kid).toBe(made[0]?.kid)
  })

  it('is gone again when it cannot be kept', async () => {
    const directory = usedDirectory()
    const keys = open(directory, frozenClock(START), 3600, WAIT)
    await keys.active()
    mkdirSync(join(directory, 'signing-keys.json.tmp', 'in', 'the', 'way'), { recursive: true })
    await expect(keys.rotate()).rejects.toThrow(SigningKeysError)
    expect((await keys.jwks()).keys).toHaveLength(1)
  })

  it('is ended like every other one when a key has leaked', async () => {
    const directory = usedDirectory()
    const keys = open(directory, frozenClock(START), 3600, WAIT)
    await keys.rotate('now')
    await keys.rotate()
    const { kid } = await keys.rotate('leaked')
    expect((await keys.list()).map((key) => key.kid)).toEqual([kid])
    expect((await open(directory).list()).map((key) => key.kid)).toEqual([kid])
  })
})

describe('signing keys', () => {
  it('are made after the caller has gone on', async () => {
    const keys = openReal(null)
    const without = keys.generation()
    await keys.active()
    expect(keys.generation()).not.toBe(without)
  })

  it('publish the public half of what signs, and nothing private', async () => {
    const keys = open(usedDirectory())
    const { kid, privateKey } = await keys.active()
    const jwk = given((await keys.jwks()).keys[0])
    expect(Object.keys(jwk).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(jwk).toMatchObject({ kid, alg: 'RS256', use: 'sig', kty: 'RSA' })
    const token = await new SignJWT({}).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
    await expect(jwtVerify(token, await importJWK(jwk))).resolves.toBeDefined()
  })

  it('survive a restart, in a file that only the owner reads', async () => {
    const directory = join(temporaryDirectory(), 'new', 'data')
    const { kid } = await open(directory).active()
    expect(statSync(join(directory, 'signing-keys.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(directory)).toEqual(['signing-keys.json'])
    const again = open(directory)
    expect(again.find(kid)).toBeDefined()
    expect((await again.active()).kid).toBe(kid)
  })

  it('verify with the old key for exactly a token lifetime after a rotation', async () => {
    const clock = frozenClock(START)
    const directory = usedDirectory()
    const keys = open(directory, clock)
    const old = (await keys.active()).kid
    const { kid } = await keys.rotate()
    expect((await keys.active()).kid).toBe(kid)
    expect((await keys.jwks()).keys.map((key) => key.kid)).toEqual([kid, old])
    expect(await keys.list()).toMatchObject([
      { kid, state: 'active' },
      { kid: old, state: 'retiring', expiresAt: '2026-01-05T09:00:00.000Z' },
    ])
    clock.advance(HOUR - 1)
    expect(keys.find(old)).toBeDefined()
    expect(open(directory, clock).find(old)).toBeDefined()
    clock.advance(1)
    expect(keys.find(old)).toBeUndefined()
    expect((await keys.jwks()).keys.map((key) => key.kid)).toEqual([kid])
    expect(open(directory, clock).find(old)).toBeUndefined()
  })

  it('forget the private half of a key that signs no more', async () => {
    const directory = usedDirectory()
    const keys = open(directory)
    await keys.rotate()
    const file = JSON.parse(readFileSync(join(directory, 'signing-keys.json'), 'utf8'))
    expect(Object.keys(file.active.privateKey)).toContain('d')
    expect(Object.keys(file.retiring[0].publicKey).sort()).toEqual(['e', 'kty', 'n'])
  })

  it('keep the old key for the longest life that a token of it may have', async () => {
    const directory = usedDirectory()
    const clock = frozenClock(START)
    const day = open(directory, clock, 86_400)
    const old = (await day.active()).kid
    const hour = open(directory, clock, 3600)
    await hour.rotate()
    clock.advance(24 * HOUR - 1)
    expect(hour.find(old)).toBeDefined()
    clock.advance(1)
    expect(hour.find(old)).toBeUndefined()
  })

  it('remember on disk that tokens live longer now before one is signed', async () => {
    const directory = usedDirectory()
    const clock = frozenClock(START)
    await open(directory, clock, 3600).active()
    const old = (await open(directory, clock, 86_400).active()).kid
    const hour = open(directory, clock, 3600)
    await hour.rotate()
    clock.advance(2 * HOUR)
    expect(hour.find(old)).toBeDefined()
  })

  it('rotate one after the other when asked at once', async () => {
    const keys = open(usedDirectory())
    const first = (await keys.active()).kid
    const made = await Promise.all([keys.rotate(), keys.rotate()])
    const kids = (await keys.list()).map((key) => key.kid)
    expect(kids).toEqual([...made.map((key) => key.kid).reverse(), first])
    expect(new Set(kids).size).toBe(3)
  })

  it('sign nothing that outlives the key, while they rotate', async () => {
    let now = START
    // A clock that moves whenever somebody looks at it: every order of events shows.
    const clock = { now: () => (now += 400) }
    const keys = createSigningKeys({
      directory: usedDirectory(),
      clock,
      lifetimeSeconds: 3600,
      publishSeconds: 0,
    })
    await keys.active()
    let rotating = true
    const rotation = keys.rotate().finally(() => (rotating = false))
    const signed: { kid: string; exp: number }[] = []
    while (rotating) {
      const exp = Math.floor(clock.now() / 1000) + 3600
      signed.push({ kid: (await keys.active()).kid, exp })
      await new Promise(setImmediate)
    }
    await rotation
    const [, old] = await keys.list()
    const ofOld = signed.filter(({ kid }) => kid === old?.kid)
    expect(ofOld.length).toBeGreaterThan(0)
    const expiresAtMs = Date.parse(given(old?.expiresAt))
    expect(ofOld.filter(({ exp }) => exp * 1000 > expiresAtMs)).toEqual([])
  })

  it('change their generation with every key that comes or goes', async () => {
    const clock = frozenClock(START)
    const keys = open(usedDirectory(), clock)
    await keys.rotate()
    const rotated = keys.generation()
    expect(keys.generation()).toBe(rotated)
    clock.advance(HOUR)
    expect(keys.generation()).not.toBe(rotated)
  })

  it.each([
    ['empty', () => ''],
    ['cut short', (text: string) => text.slice(0, 400)],
    ['of another version', (text: string) => text.replace('"version": 1', '"version": 2')],
    ['without its lists', (text: string) => text.replace('"retiring"', '"other"')],
    ['under another kid', (text: string) => text.replace(/"kid": "./, '"kid": "~')],
    [
      'changed in the modulus',
      (text: string) =>
        text.replace(
          /("n": ".{20})(.)/,
          (_, before: string, digit: string) => before + (digit === '_' ? '-' : '_'),
        ),
    ],
    [
      'changed in the private half',
      (text: string) => text.replace(/"(d|p)": "(.{20})..../g, '"$1": "$2AAAA'),
    ],
    ['without an instant', (text: string) => text.replace('"createdAt"', '"made"')],
  ])('refuse a file that is %s, say what to do and leave it alone', async (_, damage) => {
    const directory = temporaryDirectory()
    const path = join(directory, 'signing-keys.json')
    const damaged = damage(whole)
    writeFileSync(path, damaged)
    expect(() => open(directory)).toThrow(SigningKeysError)
    expect(() => open(directory)).toThrow(/signing-keys\.json.*[Rr]estore/)
    expect(readFileSync(path, 'utf8')).toBe(damaged)
  })

  it('refuse a file that cannot be read', () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'signing-keys.json'))
    expect(() => open(directory)).toThrow(/cannot be read \(EISDIR\)/)
  })

  it('say that the first key cannot be kept, and try again when asked again', async () => {
    const directory = temporaryDirectory()
    const obstacle = join(directory, 'signing-keys.json.tmp')
    mkdirSync(join(obstacle, 'in', 'the', 'way'), { recursive: true })
    const keys = open(directory)
    await expect(keys.active()).rejects.toThrow(/cannot be written.*disk space/)
    await expect(keys.jwks()).rejects.toThrow(SigningKeysError)
    rmSync(obstacle, { recursive: true })
    await expect(keys.active()).resolves.toBeDefined()
  })

  it('stay as they were when a rotation cannot be kept', async () => {
    const directory = usedDirectory()
    const keys = open(directory)
    const { kid } = await keys.active()
    const obstacle = join(directory, 'signing-keys.json.tmp', 'in', 'the', 'way')
    mkdirSync(obstacle, { recursive: true })
    await expect(keys.rotate()).rejects.toThrow(SigningKeysError)
    expect((await keys.active()).kid).toBe(kid)
    expect((await open(directory).active()).kid).toBe(kid)
    rmSync(join(directory, 'signing-keys.json.tmp'), { recursive: true })
    await keys.rotate()
    expect((await keys.list()).map((key) => key.kid)).toContain(kid)
  })
})
