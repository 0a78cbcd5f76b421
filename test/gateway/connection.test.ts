import type { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { connectionOf, lastUnanswered, type Pending, track } from '../../src/gateway/wire/connection.ts'

const socket = () => new Duplex({ read() {}, write() {} })

function request(isOver: boolean, closed: boolean): Pending {
  return {
    req: {} as IncomingMessage,
    res: { closed } as ServerResponse,
    fail: undefined,
    broken: undefined,
    isOver,
  }
}

describe('a connection', () => {
  it('lets go of what is over with its next request, and of nothing that somebody still works on', () => {
    const connection = connectionOf(socket())
    const over = request(true, true)
    const streaming = request(false, true)
    const next = request(false, false)
    expect(track(over, connection)).toBe(1)
    expect(track(streaming, connection)).toBe(1)
    expect([over.req, over.res]).toEqual([undefined, undefined])
    expect(track(next, connection)).toBe(1)
    expect([streaming.req, streaming.res]).toEqual([{}, { closed: true }])
    expect(lastUnanswered(connection)).toBe(next)
  })
})
