import { describe, expect, it } from 'vitest'
import { createCapBook } from '../../src/store/caps.ts'
import { demand, NOON } from '../support/store-work.ts'

function reserved(book: ReturnType<typeof createCapBook>, amount: number, limit: number) {
  const result = book.reserve('demo', [demand(amount, limit)], NOON)
  if (result.kind !== 'reserved') throw new Error('refused')
  return result.holds
}

describe('the count of overshoots', () => {
  it('stays 0 whatever limits are in force while work is admitted and settled', () => {
    const book = createCapBook(() => 0)
    const small = reserved(book, 90, 100)
    const large = reserved(book, 500, 1000)
    book.commit(large)
    book.commit(small)
    // The limit has been lowered: new work is refused, and what was admitted before still counts.
    expect(book.reserve('demo', [demand(1, 50)], NOON).kind).toBe('refused')
    expect(book.overshoots()).toBe(0)
  })

  it('stays 0 after a restart with a lower limit, and with work whose outcome nobody knows', () => {
    const book = createCapBook(() => 540)
    const holds = book.restore('demo', [demand(50, 100)], NOON)
    book.commit(holds)
    expect(book.overshoots()).toBe(0)
  })

  it('counts what is committed twice', () => {
    const book = createCapBook(() => 0)
    const holds = reserved(book, 60, 100)
    book.commit(holds)
    book.commit(holds)
    expect(book.overshoots()).toBe(1)
  })
})
