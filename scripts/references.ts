import { buildOpenApi } from '../src/operations/openapi.ts'
import { clientsReference } from './generate-clients-reference.ts'
import { cliReference, configReference } from './generate-config-reference.ts'
import { errorsReference } from './generate-errors-reference.ts'
import { metricsReference } from './generate-metrics-reference.ts'
import { operationsReference } from './generate-operations-reference.ts'

/** Every generated document under docs/reference, by its file name. */
export const REFERENCES: Readonly<Record<string, () => string | Promise<string>>> = {
  'cli.md': cliReference,
  'clients.md': clientsReference,
  'configuration.md': configReference,
  'errors.md': errorsReference,
  'metrics.md': metricsReference,
  'openapi.json': () => `${JSON.stringify(buildOpenApi({ publicUrl: 'http://127.0.0.1:8080' }), null, 2)}\n`,
  'operations.md': operationsReference,
}
