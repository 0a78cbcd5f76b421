import { request } from 'undici'
import type { HeaderLine } from '../../src/http/header-lines.ts'

/** A request as a test sends it, and what came back. */
export type Sent = {
  readonly method: string
  readonly path: string
  readonly headers: readonly HeaderLine[]
  readonly body?: string | Uint8Array
}

export type Got = {
  readonly status: number
  readonly headers: readonly HeaderLine[]
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** Sends header lines as they are, and undoes nothing. */
export async function send(base: string, { method, path, headers, body }: Sent): Promise<Got> {
  const reply = await request(base + path, {
    method: method as 'GET',
    headers: headers.flat(),
    ...(body !== undefined && { body }),
  })
  const text = await reply.body.text()
  const lines = Object.entries(reply.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): HeaderLine => [name, each]),
  )
  return { status: reply.statusCode, headers: lines, text, json: fieldsOf(text) }
}

/** The members of a JSON object; of every other text there are none. */
export function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
