import { buildOpenApi } from '../src/operations/openapi.ts'
import { brunoFiles } from './collections/bruno.ts'
import { postmanCollection, postmanEnvironment } from './collections/postman.ts'
import { collection } from './collections/requests.ts'
import { BOARDS } from './dashboards/boards.ts'
import { boardJson } from './dashboards/build.ts'
import { clientsReference } from './generate-clients-reference.ts'
import { cliReference, configReference } from './generate-config-reference.ts'
import { errorsReference } from './generate-errors-reference.ts'
import { metricsReference } from './generate-metrics-reference.ts'
import { operationsReference } from './generate-operations-reference.ts'
import { roomsPicture } from './generate-rooms-picture.ts'

/** Every generated file, by its path from the root of the project. */
export const REFERENCES: Readonly<Record<string, () => string | Promise<string>>> = {
  ...Object.fromEntries(BOARDS.map((board) => [`dashboards/${board.file}`, () => boardJson(board)])),
  'docs/collections/sandgate.postman_collection.json': () => postmanCollection(collection()),
  'docs/collections/sandgate.postman_environment.json': () => postmanEnvironment(collection()),
  ...Object.fromEntries(
    Object.entries(brunoFiles(collection())).map(([file, text]) => [
      `docs/collections/bruno/${file}`,
      () => text,
    ]),
  ),
  'docs/images/rooms.svg': roomsPicture,
  'docs/reference/cli.md': cliReference,
  'docs/reference/clients.md': clientsReference,
  'docs/reference/configuration.md': configReference,
  'docs/reference/errors.md': errorsReference,
  'docs/reference/metrics.md': metricsReference,
  'docs/reference/openapi.json': () =>
    `${JSON.stringify(buildOpenApi({ publicUrl: 'http://127.0.0.1:8080' }), null, 2)}\n`,
  'docs/reference/operations.md': operationsReference,
}
