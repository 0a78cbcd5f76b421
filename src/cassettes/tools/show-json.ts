import { instant } from '../../clock.ts'
import type { Interaction } from '../interaction.ts'
import { type Message, readableBody } from '../message/readable-body.ts'

/** Entries for a program, in the order of the cassette. `full`: with headers and bodies, as text. */
export function showJson(interactions: readonly Interaction[], full: boolean): string {
  return `${JSON.stringify(
    interactions.map((interaction) => shown(interaction, full)),
    null,
    2,
  )}\n`
}

function shown(interaction: Interaction, full: boolean) {
  const { sequence, startedAt, durationMs, lane, operation, origin, request, reply } = interaction
  const { noReply, bindings, redactions } = interaction
  return {
    entry: sequence,
    startedAt: instant(startedAt),
    durationMs,
    lane,
    operation: operation ?? null,
    origin,
    method: request.method,
    target: request.target,
    status: reply?.status ?? null,
    ...(noReply && { noReply }),
    ...(full && { request: messageOf(request), reply: reply ? messageOf(reply) : null }),
    bindings,
    redactions,
  }
}

function messageOf(message: Message) {
  return {
    headers: message.headers,
    body: Buffer.from(readableBody(message).bytes, 'latin1').toString('utf8'),
  }
}
