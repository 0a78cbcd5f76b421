import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { buildOpenApi } from '../../src/operations/openapi.ts'

const run = promisify(execFile)

/** A partner's code: each line that must not compile says so. */
const USE = `
import type { components, operations, paths } from './api.d.ts'

type Fund = operations['payments.fund']
const request: Fund['requestBody']['content']['application/json'] = { amount: 5077, metadata: { till: '4' } }
const headers: Fund['parameters']['header'] = {
  'Idempotency-Key': '8f14e45f-ceea-467f-a0e6-2e9b1c3d5a70',
  'X-Sandbox-Outcome': 'failed',
}
// @ts-expect-error an outcome of another operation
headers['X-Sandbox-Outcome'] = 'rejected'
// @ts-expect-error the key is required
const keyless: Fund['parameters']['header'] = {}
// @ts-expect-error money is a number
const text: components['schemas']['PaymentRequest'] = { amount: '5077' }

export function next(payment: components['schemas']['Payment']): string {
  return payment.code === 'PAYMENT_FAILED' ? (payment.resolution ?? '') : payment.paymentId
}
type Refused = Fund['responses'][400]['content']['application/problem+json']
export function explain(problem: Refused): string {
  switch (problem.code) {
    case 'PARTNER_LIMIT_EXCEEDED':
      return String(problem.resetAt)
    case 'VALIDATION_FAILED':
      return (problem.errors ?? []).map(({ detail }) => detail).join()
    // @ts-expect-error not a code of this status
    case 'RATE_LIMITED':
    default:
      return problem.resolution
  }
}
type Query = paths['/v1/score']['get']['parameters']['query']
const query: Query = { customerRef: 'CUS-0001' }
export { headers, keyless, query, request, text }
`

it('types that a partner generates from the document compile under strict and say what the interface says', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandgate-types-'))
  try {
    const document = join(directory, 'openapi.json')
    await writeFile(document, JSON.stringify(buildOpenApi({ publicUrl: 'http://127.0.0.1:8080' })))
    await run('sh', ['scripts/generate-types.sh', document, join(directory, 'api.d.ts')])
    await writeFile(join(directory, 'use.ts'), USE)
    const options = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--types',
      '',
    ]
    const { stdout } = await run(process.execPath, [
      'node_modules/typescript/bin/tsc',
      ...options,
      join(directory, 'use.ts'),
    ]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
  } finally {
    await rm(directory, { recursive: true })
  }
})
