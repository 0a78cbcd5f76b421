import { describe, expect, it } from 'vitest'
import type { CapturedReply, CapturedRequest, Interaction } from '../../src/cassettes/interaction.ts'
import { createPairBook } from '../../src/cassettes/redaction/pair-book.ts'

const SALT = Buffer.from('a salt of a test').toString('base64url')
const request = (clientId: string, secret: string): CapturedRequest => ({
  method: 'POST',
  target: '/auth/token',
  httpVersion: '1.1',
  headers: [['content-type', 'application/x-www-form-urlencoded']],
  body: Buffer.from(new URLSearchParams({ client_id: clientId, client_secret: secret }).toString()),
})
const reply = (status: number, json: object): CapturedReply => ({
  status,
  headers: [['content-type', 'application/json']],
  body: Buffer.from(JSON.stringify(json)),
})
const REFUSED = reply(401, { error: 'invalid_client' })
const GRANTED = reply(200, { access_token: 't' })
const book = (more: object = {}) => createPairBook({ operation: 'auth.token', salt: SALT, ...more })

describe('the book of pairs', () => {
  it('keeps no digest of a pair that the recording has also granted, before or after', () => {
    for (const replies of [
      [REFUSED, GRANTED],
      [GRANTED, REFUSED],
    ]) {
      const own = book()
      const interactions = replies.map((each): Interaction => {
        const refusedPair = own.ended(request('key_a', 'flips'), each)
        return { ...INTERACTION, ...(refusedPair && { refusedPair }) }
      })
      expect(own.settled(interactions).map(({ refusedPair }) => refusedPair)).toEqual([undefined, undefined])
    }
  })

  it('tells the two halves apart', () => {
    const own = book()
    const one = own.ended(request('key_a', 'bc'), REFUSED)
    const other = own.ended(request('key_ab', 'c'), REFUSED)
    expect(one?.digest).not.toBe(other?.digest)
  })

  it('digests with the cassette key where there is one', () => {
    expect(book({ cassetteKey: 'k' }).ended(request('key_a', 'x'), REFUSED)).toMatchObject({ kind: 'hmac' })
  })

  it('makes slow digests of some pairs only, and of each of those whenever it comes; keyed ones of all', () => {
    const pairs = ['a', 'b', 'a', 'c', 'b'].map((secret) => request('key_a', secret))
    const made = (own = book({ slowDigests: 2 })) =>
      pairs.map((each) => own.ended(each, REFUSED) !== undefined)
    expect(made()).toEqual([true, true, true, false, true])
    expect(made(book({ slowDigests: 2, cassetteKey: 'k' }))).toEqual([true, true, true, true, true])
  })

  it('takes the digest of a granted pair out of what was recorded before as well', () => {
    const refusedPair = book().ended(request('key_a', 'flips'), REFUSED)
    const before: Interaction[] = [{ ...INTERACTION, ...(refusedPair && { refusedPair }) }]
    const own = book({ before })
    own.ended(request('key_a', 'flips'), GRANTED)
    expect(own.settled(before).map((each) => each.refusedPair)).toEqual([undefined])
  })

  it('makes none for a client whose secret an earlier part of the recording knew', () => {
    const before = [{ ...INTERACTION, request: request('key_a', 'redacted-client-secret-1'), reply: GRANTED }]
    expect(book({ before }).ended(request('key_a', 'x'), REFUSED)).toBeUndefined()
    expect(book({ before }).ended(request('key_b', 'x'), REFUSED)).toBeDefined()
  })
})

const INTERACTION: Interaction = {
  sequence: 1,
  ended: 1,
  startedAt: 0,
  durationMs: 1,
  lane: 'key_a',
  operation: 'auth.token',
  origin: 'upstream',
  request: request('key_a', 'redacted-client-secret-1'),
  reply: REFUSED,
  bindings: [],
  redactions: [],
}
