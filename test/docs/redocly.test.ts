import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { buildOpenApi } from '../../src/operations/openapi.ts'

const run = promisify(execFile)
const CLI = 'node_modules/@redocly/cli/bin/cli.js'

it('the OpenAPI document passes the strict rules of Redocly without a warning', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandgate-openapi-'))
  try {
    const file = join(directory, 'openapi.json')
    await writeFile(file, JSON.stringify(buildOpenApi({ publicUrl: 'http://127.0.0.1:8080' })))
    // Nothing is fetched and nothing is reported to anybody.
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const { stdout } = await run(
      process.execPath,
      [CLI, 'lint', file, '--config', '.redocly.yaml', '--format', 'json'],
      { env, maxBuffer: 1 << 24 },
    ).catch((error: { stdout: string }) => error)
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] })
  } finally {
    await rm(directory, { recursive: true })
  }
})
