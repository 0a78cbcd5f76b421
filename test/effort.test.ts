import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOT_QUICK } from './support/quick.ts'

// What test/forwarded links to is counted where it stands.
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && name !== 'effort.test.ts' && !name.startsWith('forwarded/'))
  .map((name) => ({ path: join('test', name), text: readFileSync(join('test', name), 'utf8') }))
const left: readonly string[] = Object.values(NOT_QUICK).flat()
const quick = files.filter(({ path }) => !left.some((each) => path === each || path.startsWith(`${each}/`)))
const pathsOf = (some: typeof files) => some.map(({ path }) => path)

describe('the quick tests', () => {
  it('leave out only what there is', () => {
    expect(left.filter((each) => !existsSync(each))).toEqual([])
    expect(new Set(left).size).toBe(left.length)
  })

  it('are most of the files', () => {
    expect(quick.length).toBeGreaterThan(files.length * 0.55)
  })

  it('start no browser', () => {
    expect(pathsOf(quick.filter(({ text }) => /support\/browser|playwright/.test(text)))).toEqual([])
  })

  it('kill nothing in a loop', () => {
    expect(pathsOf(quick.filter(({ text }) => /\b[A-Z]+_KILLS\b/.test(text)))).toEqual([])
  })
})

describe('a test', () => {
  it('tries a property as often as the run wants, unless its cases are always the same', () => {
    const fixed = /numRuns: [0-9_]+\b(?!,\s*(?:\/\/.*\s*)*seed:)/
    expect(pathsOf(files.filter(({ text }) => fixed.test(text)))).toEqual([])
  })

  it('has the time that all have, and none of its own', () => {
    const own = /\btimeout: ?[0-9]|\}, [0-9_]+\)$|setDefaultTimeout\([0-9]/m
    expect(pathsOf(files.filter(({ text }) => own.test(text)))).toEqual([])
  })
})

describe('the contract', () => {
  // Where a link was checked out as a text, Vitest finds no tests and says nothing.
  it('stands once more where gateways forward', () => {
    expect(readdirSync('test/forwarded')).toEqual(readdirSync('test/contract'))
  })
})
