import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../support/guide.ts'

/** Every page and CI job that a user reads. Decisions tell of the past. */
const pages = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:md|yml)$/.test(name) && !name.startsWith('decisions/'))
    .map((name) => join('docs', name)),
]

/** The commands of a page's shell blocks, or of a job: a line each. */
function linesOf(page: string): string[] {
  if (page.endsWith('.yml'))
    return readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => !line.trim().startsWith('#'))
  return blocksOf(page)
    .filter(({ language }) => language.startsWith('sh'))
    .flatMap(({ text }) => text.split('\n'))
}

describe('a page and a CI job', () => {
  it('are found', () => {
    expect(pages).toContain('docs/ci/github-actions.yml')
    expect(
      pages.flatMap(linesOf).filter((line) => line.includes('npx --no -- sandgate')).length,
    ).toBeGreaterThan(20)
  })

  it.each(pages)('%s runs only what is installed: a name that is not is never fetched and run', (page) => {
    const fetching = linesOf(page).filter((line) => /\bnpx (?!--no -- )|\bnpm (?:exec|x) /.test(line))
    expect(fetching).toEqual([])
    const bare = linesOf(page).filter((line) =>
      /(?:^\s*(?:- )?|\||;|&&|\$\(|run:)\s*sandgate [a-z]/.test(line),
    )
    expect(bare).toEqual([])
  })
})

describe('the CI jobs', () => {
  it('replay pull requests too, without a secret, on a Node.js that is maintained', () => {
    const github = readFileSync('docs/ci/github-actions.yml', 'utf8')
    const gitlab = readFileSync('docs/ci/gitlab-ci.yml', 'utf8')
    expect(github).toMatch(/^ {2}pull_request:$/m)
    expect(github.match(/node-version: (\d+)/g)).toEqual(['node-version: 22', 'node-version: 22'])
    expect(github.split(/^ {2}verify:$/m)[0]).not.toContain('secrets.')
    expect(gitlab).toContain('$CI_PIPELINE_SOURCE == "merge_request_event"')
    expect(gitlab).toContain('image: node:22')
  })
})
