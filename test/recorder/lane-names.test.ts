import { describe, expect, it } from 'vitest'
import type { CapturedRequest } from '../../src/cassettes/interaction.ts'
import { createLaneNames } from '../../src/cassettes/message/lane-names.ts'
import type { HeaderLine } from '../../src/http/header-lines.ts'

const FORM: HeaderLine = ['Content-Type', 'application/x-www-form-urlencoded']

function request(body: string, ...headers: HeaderLine[]): CapturedRequest {
  return { method: 'POST', target: '/', httpVersion: '1.1', headers, body: Buffer.from(body) }
}
const bearer = (token: string) => request('', ['Authorization', `Bearer ${token}`])
const granted = (token: string) => ({
  status: 200,
  headers: [['Content-Type', 'application/json'] as const],
  body: Buffer.from(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 60 })),
})

describe('the lane of an opaque token', () => {
  const lanes = createLaneNames()
  const laneOf = (token: string, named?: string) =>
    lanes.of({ request: bearer(token), named, operation: 'score.read' })

  it('is that of the client whose exchange returned it, however that names itself', () => {
    const basic = Buffer.from('sk_sandbox_two:secret').toString('base64')
    lanes.granted(request('client_id=sk_sandbox_one&client_secret=s', FORM), granted('opaque-1'))
    lanes.granted(request('', ['Authorization', `Basic ${basic}`]), granted('opaque-2'))
    lanes.granted(request('client_id=key_three&client_secret=s', FORM), granted('opaque-3'))
    expect(['opaque-1', 'opaque-2', 'opaque-3', 'opaque-4'].map((token) => laneOf(token))).toEqual([
      'client-1',
      'client-2',
      'key_three',
      '',
    ])
  })

  it('gives way to a lane that the request names', () => {
    expect(laneOf('opaque-1', 'mine')).toBe('mine')
  })

  it('is not learnt from a refusal', () => {
    lanes.granted(request('client_id=key_four', FORM), { ...granted('opaque-5'), status: 401 })
    expect(laneOf('opaque-5')).toBe('')
  })

  it('is forgotten for the one that was not used for longest, when there are too many', () => {
    for (let i = 0; i < 10_001; i++) lanes.granted(request('client_id=key_x', FORM), granted(`many-${i}`))
    expect([laneOf('many-0'), laneOf('many-10000')]).toEqual(['', 'key_x'])
  })
})
