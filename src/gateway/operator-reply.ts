import type { FastifyReply } from 'fastify'

/** An answer of the operator listener that says why not. */
export function refuse(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return reply.status(status).send({ status, detail })
}

/** The members of a JSON body; of one that is no object there are none. */
export function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}
