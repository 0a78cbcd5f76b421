import { beforeEach } from 'vitest'
import { NOT_FORWARDED } from './not-forwarded.ts'

beforeEach(({ task, skip }) => {
  const reason = new Map<string, string>(Object.entries(NOT_FORWARDED.tests)).get(task.name)
  if (reason !== undefined) skip(reason)
})
