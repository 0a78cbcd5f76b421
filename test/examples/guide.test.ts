import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the test file in the guide is one that runs here', () => {
  const example = readFileSync('test/examples/payments.test.ts', 'utf8')
  const [, shown] =
    /```ts\n(import \{ randomUUID \}[\s\S]*?)```/.exec(readFileSync('docs/cassettes/tutorial.md', 'utf8')) ??
    []
  expect(shown).toBe(example)
})
