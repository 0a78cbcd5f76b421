import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '../recorded.ts'
import { MODULES, notInstalled } from './install.ts'
import type { Player } from './player.ts'

const CLI = join(MODULES, '@mockoon/cli/bin/run.js')

/** An environment with a route for every request: as Mockoon makes it of recorded traffic. */
export const mockoon: Player = {
  name: 'Mockoon',
  role: 'peer',
  missing: () => notInstalled('@mockoon/cli'),
  prepare: ({ answers }, directory) => {
    const file = join(directory, 'environment.json')
    writeFileSync(file, JSON.stringify(environment(answers)))
    const quiet = ['--disable-log-to-file', '--disable-admin-api']
    return (port) => [
      ...[process.execPath, '--max-old-space-size=4096', CLI, 'start', '--data', file, ...quiet],
      ...['--hostname', '127.0.0.1', '--port', String(port)],
    ]
  },
}

function environment(answers: readonly Answer[]) {
  const routes = answers.map(route)
  return {
    uuid: randomUUID(),
    lastMigration: 33,
    name: 'bench',
    endpointPrefix: '',
    latency: 0,
    port: 3000,
    hostname: '127.0.0.1',
    folders: [],
    routes,
    rootChildren: routes.map(({ uuid }) => ({ type: 'route', uuid })),
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    tlsOptions: {
      enabled: false,
      type: 'CERT',
      pfxPath: '',
      certPath: '',
      keyPath: '',
      caPath: '',
      passphrase: '',
    },
    cors: false,
    headers: [],
    proxyReqHeaders: [],
    proxyResHeaders: [],
    data: [],
    callbacks: [],
  }
}

function route({ path, headers, body }: Answer) {
  return {
    uuid: randomUUID(),
    type: 'http',
    documentation: '',
    method: 'get',
    endpoint: path.slice(1),
    responses: [
      {
        uuid: randomUUID(),
        body,
        latency: 0,
        statusCode: 200,
        label: '',
        headers: headers.map(([key, value]) => ({ key, value })),
        bodyType: 'INLINE',
        filePath: '',
        databucketID: '',
        sendFileAsBody: false,
        rules: [],
        rulesOperator: 'OR',
        disableTemplating: true,
        fallbackTo404: false,
        default: true,
        crudKey: 'id',
        callbacks: [],
      },
    ],
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
  }
}
