import type { CapturedReply, Interaction } from '../../../src/cassettes/interaction.ts'
import { type Json, operationOf, requestOf } from './client.ts'
import { LANE, replyOf, T0 } from './sandbox.ts'

type Parts = Partial<Interaction> & {
  readonly key?: string
  readonly body?: Json | string
  readonly headers?: readonly [string, string][]
}

/** Request line, status, reply, and what else there is to say. */
export type Row = readonly [line: string, status: number, reply: Json, parts?: Parts]

/** An interaction as a recorder would write it, spelled out. Each starts a second after the one before. */
export function interactions(...all: readonly Row[]): readonly Interaction[] {
  return all.map(([line, status, reply, parts = {}], i): Interaction => {
    const { key, body, headers = [], ...rest } = parts
    const [method = '', target = ''] = line.split(' ')
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const own = key === undefined ? headers : [...headers, ['Idempotency-Key', key] as const]
    const request = requestOf(method, target, own, text)
    return {
      sequence: i + 1,
      ended: i + 1,
      startedAt: T0 + i * 1000,
      durationMs: 20,
      lane: LANE,
      operation: operationOf(request),
      origin: 'simulator:default',
      request,
      reply: json(status, reply, i),
      bindings: [],
      redactions: [],
      ...rest,
    }
  })
}

export function json(status: number, body: Json, i = 0): CapturedReply {
  return replyOf(status, body, `req_${i}`, T0 + i * 1000)
}

export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}
