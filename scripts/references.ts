import { buildOpenApi } from '../src/operations/openapi.ts'
import { clientsReference } from './generate-clients-reference.ts'
import { cliReference, configReference } from './generate-config-reference.ts'
import { errorsReference } from './generate-errors-reference.ts'
import { metricsReference } from './generate-metrics-reference.ts'
import { operationsReference } from './generate-operations-reference.ts'
import { roomsPicture } from './generate-rooms-picture.ts'

/** Every generated document under docs, by its path there. */
export const REFERENCES: Readonly<Record<string, () => string | Promise<string>>> = {
  'images/rooms.svg': roomsPicture,
  'reference/cli.md': cliReference,
  'reference/clients.md': clientsReference,
  'reference/configuration.md': configReference,
  'reference/errors.md': errorsReference,
  'reference/metrics.md': metricsReference,
  'reference/openapi.json': () =>
    `${JSON.stringify(buildOpenApi({ publicUrl: 'http://127.0.0.1:8080' }), null, 2)}\n`,
  'reference/operations.md': operationsReference,
}
