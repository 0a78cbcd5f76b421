import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatConfigErrors } from '../../src/config/errors.ts'
import { loadConfig } from '../../src/config/load.ts'

/**
 * One file per mistake. Its first lines, `# expect: FILE:LINE:COLUMN: MESSAGE`, are everything that is reported, in
 * this order; a message may end in ` …` where the rest is a list that grows with the product.
 */
const directory = join('test', 'config', 'bad')
const files = readdirSync(directory).filter((name) => name.endsWith('.yaml'))

describe('a bad configuration is refused with the place and the message in its first lines', () => {
  it.each(files)('%s', (name) => {
    const path = join(directory, name)
    const expected = [...readFileSync(path, 'utf8').matchAll(/^# expect: (.*)$/gm)].map(
      ([, line = '']) => line,
    )
    expect(expected.length, 'the file says what it expects').toBeGreaterThan(0)

    const result = loadConfig({ file: path })
    const errors = result.ok ? '' : formatConfigErrors(result.errors)
    const reported = errors.replaceAll(`${directory}/`, '').split('\n')
    expect(reported.map((line, i) => shortened(line, expected[i]))).toEqual(expected)
  })
})

function shortened(line: string, expected = ''): string {
  const start = expected.replace(/ …$/, '')
  return start !== expected && line.startsWith(start) ? expected : line
}
