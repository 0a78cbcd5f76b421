import { beforeEach, expect } from 'vitest'
import { NOT_FORWARDED } from './not-forwarded.ts'

// A set-up file, which runs before each file of tests. test/forwarded is test/contract by another name: the contract once
// more, asked of gateways that forward to a second one (startGateway of gateway.ts reads TEST_FORWARDED).
const { testPath } = expect.getState()
if (testPath === undefined) throw new Error('Vitest says no more which file it runs')
const isForwarded = testPath.includes('/test/forwarded/')
process.env.TEST_FORWARDED = isForwarded ? '1' : '0'

if (isForwarded)
  beforeEach(({ task, skip }) => {
    const reason = new Map<string, string>(Object.entries(NOT_FORWARDED.tests)).get(task.name)
    if (reason !== undefined) skip(reason)
  })
