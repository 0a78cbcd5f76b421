import { readFileSync } from 'node:fs'
import { table } from './markdown.ts'

const TESTS = ['test/clients/javascript.test.ts', 'test/clients/programs.test.ts']
const NAME = /\bit\('([^:']+): ([^']+)'/g

/** What works with which OAuth client, as Markdown: the names of the tests that hold it. */
export function clientsReference(): string {
  const rows = TESTS.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(NAME)].map(([, client = '', works = '']) => [
      versioned(client),
      `${works.charAt(0).toUpperCase()}${works.slice(1)}`,
    ]),
  )
  return `# Token exchange: which clients work

Each row is a test of the unmodified client against a running gateway. Python's clients are those of Debian.

${table(['Client', 'What is tested'], rows)}
`
}

/** Libraries from npm with the version that is tested. */
function versioned(client: string): string {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const range = devDependencies[client]
  return range === undefined ? client : `${client} ${range.replace(/^\^/, '').split('.')[0]}`
}
