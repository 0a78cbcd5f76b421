import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Listens at an address, on a free port with port 0, and resolves to the URL there, without a slash at the end. */
export async function listen(
  app: FastifyInstance,
  at: { readonly host: string; readonly port: number },
): Promise<string> {
  await app.ready()
  app.server.listen(at.port, at.host)
  await once(app.server, 'listening')
  const { port } = app.server.address() as AddressInfo
  return `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`
}
