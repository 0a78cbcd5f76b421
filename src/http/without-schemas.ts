import type { FastifyServerOptions } from 'fastify'

const unused = () => () => {
  throw new TypeError('no route has a schema of Fastify')
}

/**
 * For servers whose routes have no schema: Fastify then does not load its validator and its serialiser, which are a
 * good part of a start.
 */
export const WITHOUT_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: unused, buildSerializer: unused },
}
