import type { CapturedReply } from './interaction.ts'
import { decodeBody } from './redact-encoding.ts'

/**
 * A reply without its content coding, which is how values in it are found and replaced: no client minds being sent a
 * body as it is. What nobody here can decode stays as it was recorded.
 */
export function plainReply(reply: CapturedReply): CapturedReply {
  const decoded = decodeBody(reply.headers, reply.body)
  if (decoded.kind !== 'decoded') return reply
  const headers = reply.headers.filter(([name]) => name.toLowerCase() !== 'content-encoding')
  return { ...reply, headers, body: decoded.bytes }
}
