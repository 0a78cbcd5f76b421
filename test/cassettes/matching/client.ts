import { createHash } from 'node:crypto'
import type { CapturedReply, CapturedRequest } from '../../../src/cassettes/interaction.ts'
import type { HeaderLine } from '../../../src/http/header-lines.ts'
import { OPERATIONS } from '../../../src/operations/operations.ts'
import type { Send } from './sandbox.ts'

export type Json = Record<string, unknown>

export type Answer = {
  readonly status: number
  readonly body: Json
  readonly header: (name: string) => string | undefined
  readonly reply: CapturedReply
}

/** A partner's code under test: it makes up what such code makes up, from its seed. */
export type Client = {
  readonly post: (path: string, body: Json, headers?: readonly HeaderLine[]) => Promise<Answer>
  readonly get: (target: string, headers?: readonly HeaderLine[]) => Promise<Answer>
  readonly send: (request: CapturedRequest) => Promise<Answer>
  /** A value that no other run makes. */
  readonly fresh: (prefix: string) => string
  readonly uuid: () => string
  readonly phone: () => string
}

const EMPTY = new Uint8Array()

export function createClient(send: Send, seed: string): Client {
  let drawn = 0
  const hex = () => createHash('sha256').update(`${seed} ${drawn++}`).digest('hex')
  const uuid = () => {
    const h = hex()
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-8${h.slice(17, 20)}-${h.slice(20, 32)}`
  }
  const ask = async (request: CapturedRequest): Promise<Answer> => {
    const reply = await send(request, operationOf(request))
    const body = reply.body.length === 0 ? {} : (JSON.parse(Buffer.from(reply.body).toString()) as Json)
    const header = (name: string) =>
      reply.headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1]
    return { status: reply.status, body, header, reply }
  }
  return {
    send: ask,
    fresh: (prefix) => `${prefix}-${hex().slice(0, 12)}`,
    uuid,
    phone: () => `+22507${(BigInt(`0x${hex().slice(0, 12)}`) % 90_000_000n) + 10_000_000n}`,
    get: (target, headers = []) => ask(requestOf('GET', target, headers)),
    post: (path, body, headers = []) => {
      const own: HeaderLine[] = headers.some(([name]) => name === 'Idempotency-Key')
        ? []
        : [['Idempotency-Key', uuid()]]
      return ask(requestOf('POST', path, [...own, ...headers], JSON.stringify(body)))
    },
  }
}

export function requestOf(
  method: string,
  target: string,
  headers: readonly HeaderLine[] = [],
  body?: string,
): CapturedRequest {
  const type: HeaderLine[] = body === undefined ? [] : [['Content-Type', 'application/json']]
  const bytes = body === undefined ? EMPTY : Buffer.from(body)
  return { method, target, httpVersion: '1.1', headers: [...type, ...headers], body: bytes }
}

const patterns = OPERATIONS.map(({ id, method, path }) => ({
  id,
  method,
  pattern: new RegExp(`^${path.replaceAll(/\{[A-Za-z]+\}/g, '[^/]+')}$`),
}))

export function operationOf({ method, target }: CapturedRequest): string | undefined {
  const path = target.replace(/\?.*$/, '').replace(/^\/_lane\/[^/]+/, '')
  return patterns.find((each) => each.method === method && each.pattern.test(path))?.id
}
