import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'

const GUIDE = 'docs/cassettes.md'
const JOBS = ['docs/ci/github-actions.yml', 'docs/ci/gitlab-ci.yml']

/** The `sandgate …` commands of a script: as the shell would split them, without what comes after one. */
function commandsIn(script: string): string[][] {
  const found: string[][] = []
  for (const line of script.split('\n')) {
    const command = /(?:^|\s)sandgate (.*)$/.exec(line)?.[1]
    if (command === undefined) continue
    const words = command.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []
    const end = words.findIndex((word) => /^(?:>|\||;|&&)/.test(word))
    const own = end === -1 ? words : words.slice(0, end)
    found.push(own.map((word) => word.replace(/^(["'])(.*)\1$/, '$2')))
  }
  return found
}

/** Every text that a job runs: `run` of GitHub's steps, the items of GitLab's `script`. */
function scriptsOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'run' && typeof value === 'string') return [value]
    if (name === 'script' && Array.isArray(value)) return value.map(String)
    return scriptsOf(value)
  })
}

const shellBlocks = [...readFileSync(GUIDE, 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
)
const all = [
  ...shellBlocks.map((text) => [GUIDE, text] as const),
  ...JOBS.flatMap((file) =>
    scriptsOf(parseYaml(readFileSync(file, 'utf8'))).map((text) => [file, text] as const),
  ),
].flatMap(([file, text]) => commandsIn(text).map((words) => ({ file, words, line: words.join(' ') })))

describe('the commands of the guide and of the CI jobs', () => {
  it('are found', () => {
    for (const file of JOBS) {
      const names = all.filter((one) => one.file === file).map(({ words }) => words.slice(0, 2).join(' '))
      expect(names).toEqual(['cassette lint', 'replay recordings/*.har', 'cassette verify'])
    }
    expect(all.filter(({ file }) => file === GUIDE).length).toBeGreaterThan(6)
  })

  // A command that this version does not have yet shows as skipped; one that is misspelt fails.
  const has = (name: string) => COMMANDS.some((command) => command.name === name)
  for (const { file, words, line } of all) {
    const [first = ''] = words
    it.skipIf((first === 'replay' || first === 'record') && !has(first))(`${file}: sandgate ${line}`, () => {
      expect(parseCommandLine(words, COMMANDS)).toMatchObject({ kind: 'run' })
    })
  }
})

describe('the guide', () => {
  it('links to what is there', () => {
    for (const [, target = ''] of readFileSync(GUIDE, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(existsSync(join(dirname(GUIDE), target)), target).toBe(true)
  })
})
