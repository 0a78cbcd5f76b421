import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { LRUCache } from 'lru-cache'
import { afterAll, describe, expect, it } from 'vitest'
import { spliced } from '../src/cassettes/message/splice.ts'
import { createGrowingCache } from '../src/growing-cache.ts'
import { append, getOrMake, remembered } from '../src/map-entries.ts'
import { partitionPoint } from '../src/partition-point.ts'
import { replaceFile, replaceFileSync } from '../src/replace-file.ts'
import { systemCode } from '../src/system-error.ts'
import { printable } from '../src/terminal.ts'
import { createWorkQueue } from '../src/work-queue.ts'
import { runs } from './support/effort.ts'

const directory = mkdtempSync(join(tmpdir(), 'sandgate-ground-'))
afterAll(() => rmSync(directory, { recursive: true }))

it('what was used last is kept, and no more of it than was said', () => {
  const use = fc.record({ key: fc.nat(9).map(String), isRead: fc.boolean() })
  const property = fc.property(fc.integer({ min: 1, max: 8 }), fc.array(use), (entries, uses) => {
    const cache = createGrowingCache<string>(entries)
    let last: string[] = []
    for (const { key, isRead } of uses) {
      expect(cache.has(key)).toBe(last.includes(key))
      if (isRead && cache.get(key) === undefined) continue
      if (!isRead) cache.set(key, key)
      last = [...last.filter((each) => each !== key), key].slice(-entries)
    }
    // Whatever comes beyond that takes the place of the one that was not used for longest.
    for (let added = 1; added <= entries; added++) {
      cache.set(`other ${added}`, '')
      const gone = last.length + added - entries
      expect(last.map((key) => cache.has(key))).toEqual(last.map((_, at) => at >= gone))
    }
  })
  fc.assert(property, { numRuns: runs(200) })
})

describe('work in a queue', () => {
  it('is done one after the other, and what fails holds up nothing', async () => {
    const queue = createWorkQueue()
    const log: string[] = []
    const work = (name: string) => async () => {
      log.push(`${name} begins`)
      await new Promise(setImmediate)
      log.push(`${name} ends`)
      if (name === 'bad') throw new Error(name)
      return name
    }
    const bad = queue.run(work('bad'))
    const good = queue.run(work('good'))
    await queue.idle()
    expect(log).toEqual(['bad begins', 'bad ends', 'good begins', 'good ends'])
    await expect(bad).rejects.toThrow('bad')
    expect(await good).toBe('good')
  })
})

describe('a cache that grows', () => {
  it('holds what one that is laid out at once holds', () => {
    const max = fc.constantFrom(1, 499, 500, 501, 700, 5000, 5003)
    const key = fc.integer({ min: 0, max: 6000 })
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ set: key, count: fc.integer({ min: 1, max: 1200 }) }) },
      { weight: 3, arbitrary: fc.record({ get: key, count: fc.integer({ min: 1, max: 300 }) }) },
      { weight: 1, arbitrary: fc.constant('clear' as const) },
    )
    fc.assert(
      fc.property(max, fc.array(step, { maxLength: 12 }), (max, steps) => {
        const growing = createGrowingCache<string>(max)
        const whole = new LRUCache<string, string>({ max })
        for (const each of steps) {
          if (each === 'clear') {
            growing.clear()
            whole.clear()
          } else if ('set' in each) {
            for (let i = 0; i < each.count; i++) {
              growing.set(`${each.set + i}`, `${i}`)
              whole.set(`${each.set + i}`, `${i}`)
            }
          } else {
            for (let i = 0; i < each.count; i++)
              expect(growing.get(`${each.get + i}`)).toBe(whole.get(`${each.get + i}`))
          }
        }
        const held = (cache: { has: (key: string) => boolean }) =>
          Array.from({ length: 7300 }, (_, i) => cache.has(`${i}`))
        expect(held(growing)).toEqual(held(whole))
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('the point of a partition', () => {
  it('is where a search from the beginning finds it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20 })),
        fc.integer({ min: -1, max: 21 }),
        (list, bound) => {
          const sorted = [...list].sort((a, b) => a - b)
          const found = sorted.findIndex((value) => value >= bound)
          expect(partitionPoint(sorted.length, (i) => (sorted[i] ?? 0) < bound)).toBe(
            found === -1 ? sorted.length : found,
          )
        },
      ),
    )
  })
})

describe('a replaced file', () => {
  const path = join(directory, 'kept')

  it('is the new one, with the mode that was asked for, and nothing lies beside it', async () => {
    writeFileSync(path, 'old')
    replaceFileSync(path, (fd) => void writeSync(fd, 'new'), 0o640)
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(statSync(path).mode & 0o777).toBe(0o640)
    await replaceFile(path, 'newer', 0o600)
    expect(readFileSync(path, 'utf8')).toBe('newer')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(directory)).toEqual(['kept'])
  })

  it('is the old one when the new one cannot be written, and nothing lies beside it', () => {
    const failing = (fd: number) => {
      writeSync(fd, 'half')
      throw new Error('the disk is full')
    }
    expect(() => replaceFileSync(path, failing)).toThrow('the disk is full')
    expect(readFileSync(path, 'utf8')).toBe('newer')
    expect(readdirSync(directory)).toEqual(['kept'])
  })

  it('is not one in a directory that is not there: the error of the system comes out', async () => {
    const nowhere = join(directory, 'gone', 'file')
    const failed = await replaceFile(nowhere, 'x', 0o600).catch((error: unknown) => error)
    expect(systemCode(failed)).toBe('ENOENT')
    chmodSync(path, 0o600)
  })
})

describe('the code of an error', () => {
  it.each([
    [Object.assign(new Error('x'), { code: 'EACCES' }), 'EACCES'],
    [Object.assign(new Error('x'), { code: -30790 }), undefined],
    [new Error('x'), undefined],
    [{ code: 'ENOENT' }, undefined],
    [undefined, undefined],
  ])('%j is %j', (error, code) => expect(systemCode(error)).toBe(code))
})

describe('a text on a terminal', () => {
  it('holds no character that a terminal obeys, and says all others as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = printable(text, '\n')
        expect(shown).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/u)
        if (!/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text)) expect(shown).toBe(text)
      }),
    )
    expect(printable('\u001b[2J\n\u202e', '\n')).toBe('\\u001b[2J\n\\u202e')
    expect(printable('\n')).toBe('\\u000a')
    // A text in JSON is the same one afterwards.
    const hidden = '\u009b2J\u{e0041}'
    expect(JSON.parse(printable(JSON.stringify(hidden)))).toBe(hidden)
  })
})

describe('a spliced text', () => {
  it('has the new texts where the old ones stood, and all else as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string(), fc.string())), fc.string(), (parts, rest) => {
        let text = ''
        let expected = ''
        const splices = parts.map(([kept, old, now]) => {
          const start = text.length + kept.length
          text += kept + old
          expected += kept + now
          return { start, end: start + old.length, text: now }
        })
        expect(spliced(text + rest, splices)).toBe(expected + rest)
      }),
    )
  })
})

describe('the entries of a map', () => {
  it('are made once, and lists grow', () => {
    const map = new Map<string, number[]>()
    append(map, 'a', 1)
    append(map, 'a', 2)
    expect(getOrMake(map, 'a', () => [9])).toEqual([1, 2])
    expect(getOrMake(map, 'b', () => [9])).toBe(map.get('b'))
  })

  it('remember what is said of a text, be it nothing, but not of long ones or of too many', () => {
    const asked: string[] = []
    const ask = remembered((text) => {
      asked.push(text)
      return text === 'a' ? undefined : text.length
    })
    const long = 'x'.repeat(100)
    expect(['a', 'bc', 'a', 'bc', long, long].map(ask)).toEqual([undefined, 2, undefined, 2, 100, 100])
    expect(asked).toEqual(['a', 'bc', long, long])
    for (let n = 0; n < 3000; n++) ask(`${n}`)
    asked.length = 0
    for (const text of ['a', '2999']) expect(ask(text)).toBe(text === 'a' ? undefined : 4)
    expect(asked).toEqual(['2999'])
  })
})
