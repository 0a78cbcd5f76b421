import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { errorsReference } from '../../scripts/generate-errors-reference.ts'
import { metricsReference } from '../../scripts/generate-metrics-reference.ts'
import { operationsReference } from '../../scripts/generate-operations-reference.ts'
import { REFERENCES } from '../../scripts/references.ts'
import { CATALOGUE } from '../../src/errors/catalogue.ts'
import { ROWS } from '../../src/operations/operations.ts'

describe('the generated references', () => {
  it.each(Object.entries(REFERENCES))('docs/%s is what the source says', async (name, generate) => {
    const committed = await readFile(`docs/${name}`, 'utf8')
    // Compared as a boolean: the difference of two such texts is no use to anybody. `npm run generate` writes them.
    expect(committed === (await generate()), 'run npm run generate').toBe(true)
  })

  it('have every error code', () => {
    const text = errorsReference()
    for (const [code, { status }] of Object.entries(CATALOGUE))
      expect(text).toContain(`| \`${code}\` | ${status} |`)
  })

  it('have every operation', () => {
    const text = operationsReference()
    for (const { method, path } of ROWS) expect(text).toContain(`| ${method} \`${path}\` |`)
    for (const { id } of ROWS) expect(text).toContain(`\n## ${id}\n`)
  })

  it('have the metrics with their types and labels', async () => {
    const text = await metricsReference()
    expect(text).toContain('| `sandgate_requests_total` | counter | `operation`, `status`, `code` |')
    expect(text).toContain('| `sandgate_gateway_duration_seconds` | histogram | `operation` |')
  })
})
