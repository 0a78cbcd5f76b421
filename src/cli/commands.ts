import type { Command } from './command.ts'

/** Every command. Help, the messages about wrong usage and the reference come from this table. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Run the gateway.',
    options: {
      config: {
        value: 'FILE',
        summary:
          'The configuration. By default ./config/sandgate.yaml or ./sandgate.yaml, whichever is there; without either, built-in defaults with the demo partner.',
      },
      host: { value: 'HOST', summary: 'The address for partners.', setting: ['listen', 'host'] },
      port: {
        value: 'PORT',
        summary: 'The port for partners; 0 picks a free one.',
        setting: ['listen', 'port'],
      },
      'public-url': {
        value: 'URL',
        summary: 'What partners type to reach it.',
        setting: ['listen', 'publicUrl'],
      },
      'operator-port': {
        value: 'PORT',
        summary: 'The port for operators; 0 picks a free one.',
        setting: ['operator', 'port'],
      },
      data: { value: 'DIR', summary: 'The data directory.', setting: ['store', 'path'] },
      store: {
        value: 'ENGINE',
        summary: 'embedded keeps everything, memory forgets it at exit.',
        setting: ['store', 'engine'],
      },
      'controllable-clock': {
        summary: 'Let the operator listener move the clock forward.',
        setting: ['clock', 'controllable'],
      },
    },
    example: 'sandgate serve --port 9000 --store memory',
    load: () => import('./serve.ts'),
  },
  {
    name: 'config check',
    summary: 'Check a configuration, with its partners and the environment, and say what is wrong.',
    args: ['FILE'],
    options: {},
    example: 'sandgate config check config/sandgate.yaml',
    load: () => import('./config-check.ts'),
  },
  {
    name: 'openapi',
    summary: 'Print the OpenAPI document of the partner interface.',
    options: {
      'public-url': { value: 'URL', summary: 'The server that it names; by default http://127.0.0.1:8080.' },
    },
    example: 'sandgate openapi > openapi.json',
    load: () => import('./openapi.ts'),
  },
]
