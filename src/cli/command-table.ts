import { SCOPES } from '../config/contract.ts'
import { RECORD_MODES } from '../start/record-mode.ts'
import { DATA_KINDS } from '../store/store.ts'
import { CASSETTE_COMMANDS } from './cassette-command-table.ts'
import type { Command, Option } from './command.ts'
import { SHELLS } from './completion/shells.ts'
import { rememberHangups } from './hangup.ts'

const CONFIG: Option = {
  value: 'FILE',
  summary: 'The configuration. By default ./config/sandgate.yaml or ./sandgate.yaml, whichever is there.',
}

const OPERATOR: Option = {
  value: 'URL',
  summary:
    'The operator listener of a gateway. By default the gateway of the data directory is asked, and the directory itself is used when none runs on it.',
}

const QUIET: Option = { summary: 'Say nothing that is not a problem: no greeting, no progress, no summary.' }

const ALLOW_HTTP: Option = {
  summary:
    'Send secret and token over plain http to another machine too. By default only to this one, since everybody on the way can read them.',
}

const CLIENT_ENV =
  'SANDGATE_URL, SANDGATE_CLIENT_ID and SANDGATE_CLIENT_SECRET say whom and as whom; without them it is the demo partner of http://127.0.0.1:8080.'

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
        values: ['embedded', 'memory'],
        summary: 'embedded keeps everything, memory forgets it at exit.',
        setting: ['store', 'engine'],
      },
      upstream: {
        value: 'URL',
        summary: 'Let the sandbox behind this URL decide every operation, in place of the simulator.',
        setting: ['upstream', 'url'],
        implies: [{ path: ['decisions', 'from'], value: 'upstream' }],
      },
      'controllable-clock': {
        summary: 'Let the operator listener move the clock forward.',
        setting: ['clock', 'controllable'],
      },
      quiet: { summary: 'No greeting; the log is log.format.' },
    },
    example: 'sandgate serve --port 9000 --store memory',
    load: () => {
      // Loading takes longer than a supervisor may wait with its first reload.
      rememberHangups()
      return import('./commands/serve.ts')
    },
  },
  {
    name: 'config check',
    summary: 'Check a configuration, with its partners and the environment, and say what is wrong.',
    args: ['FILE'],
    options: {},
    example: 'sandgate config check config/sandgate.yaml',
    load: () => import('./commands/config-check.ts'),
  },
  {
    name: 'openapi',
    summary: 'Print the OpenAPI document of the partner interface.',
    options: {
      'public-url': { value: 'URL', summary: 'The server that it names; by default http://127.0.0.1:8080.' },
    },
    example: 'sandgate openapi > openapi.json',
    load: () => import('./commands/openapi.ts'),
  },
  {
    name: 'keys create',
    summary: 'Make a sandbox key for a partner; it is shown once.',
    options: {
      partner: { value: 'ID', summary: 'The partner that the key belongs to.' },
      scopes: { value: 'LIST', summary: 'Narrower scopes than the partner has, with commas between them.' },
      write: { summary: "Add it to the partners' file; comments stay." },
      config: CONFIG,
    },
    example: 'sandgate keys create --partner demo --scopes payments:write --write',
    load: () => import('./commands/keys-create.ts'),
  },
  {
    name: 'keys list',
    summary: 'List the sandbox keys.',
    options: { partner: { value: 'ID', summary: 'Of this partner only.' }, config: CONFIG },
    example: 'sandgate keys list --partner demo',
    load: () => import('./commands/keys-list.ts'),
  },
  {
    name: 'keys revoke',
    summary: 'Revoke a sandbox key and its tokens.',
    args: ['KEY_ID'],
    options: { config: CONFIG },
    example: 'sandgate keys revoke key_demo',
    load: () => import('./commands/keys-revoke.ts'),
  },
  {
    name: 'partners check',
    summary: 'Check the partners, and show what each comes to.',
    args: ['FILE'],
    options: {},
    example: 'sandgate partners check config/sandgate.yaml',
    load: () => import('./commands/partners-check.ts'),
  },
  {
    name: 'signing-keys list',
    summary: 'Show the keys that sign and verify access tokens.',
    options: { operator: OPERATOR, config: CONFIG },
    example: 'sandgate signing-keys list',
    load: () => import('./commands/signing-keys.ts').then(({ list }) => ({ run: list })),
  },
  {
    name: 'signing-keys rotate',
    summary:
      'Publish a new key, which signs once every client can know it (tokens.publishSeconds); valid tokens stay valid.',
    options: {
      now: {
        summary:
          'Sign with it at once: clients that keep an older JWKS refuse its tokens until they ask again.',
      },
      leaked: {
        summary: 'Sign with a new one at once and end every other: what they signed is TOKEN_INVALID.',
      },
      operator: OPERATOR,
      config: CONFIG,
    },
    example: 'sandgate signing-keys rotate',
    load: () => import('./commands/signing-keys.ts').then(({ rotate }) => ({ run: rotate })),
  },
  {
    name: 'usage',
    summary: 'Show what a partner has used, what is left, and what went wrong, from the running gateway.',
    options: {
      partner: {
        value: 'ID',
        summary: 'The partner. Without it, the only one there is, or how each of them stands.',
      },
      history: {
        value: 'SPAN',
        values: ['hours', 'days'],
        summary: 'hours: the last 48 hours (the default); days: the last 31 days.',
      },
      json: { summary: 'As JSON, for a script.' },
      operator: {
        value: 'URL',
        summary: 'The operator listener of the gateway. By default the configured one.',
      },
      config: CONFIG,
    },
    example: 'sandgate usage --partner demo',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'logs',
    summary: 'Find lines in log files, plain or .gz, or in what is piped in (-, or no file at all).',
    args: ['FILE...'],
    options: {
      partner: { value: 'ID', summary: 'Of this partner.' },
      operation: { value: 'ID', summary: 'Of this operation, such as payments.fund.' },
      code: { value: 'CODE', adds: true, summary: 'With this error code; given again, with any of them.' },
      status: { value: 'STATUS', adds: true, summary: 'With this status, such as 429, or 5xx.' },
      request: { value: 'ID', summary: 'Of this request: its X-Request-Id.' },
      trace: { value: 'ID', summary: 'Of this trace: the trace id of its traceparent.' },
      level: {
        value: 'LEVEL',
        values: ['info', 'warn', 'error'],
        summary: 'Of this level or above: info, warn or error.',
      },
      since: { value: 'TIME', summary: 'From then on: 90s, 15m, 1h or 2d ago, or an instant.' },
      json: { summary: 'The lines as they are.' },
    },
    example: 'sandgate logs gateway.log --partner demo --code RATE_LIMITED --since 1h',
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'data usage',
    summary: 'Show what the sandbox keeps for a partner, and how much it may be.',
    options: {
      partner: { value: 'ID', summary: 'The partner.' },
      operator: OPERATOR,
      config: CONFIG,
    },
    example: 'sandgate data usage --partner demo',
    load: () => import('./commands/data.ts').then(({ usage }) => ({ run: usage })),
  },
  {
    name: 'data reset',
    summary: 'Delete what the sandbox keeps for a partner: all of it at once, or one kind.',
    options: {
      partner: { value: 'ID', summary: 'The partner.' },
      kind: {
        value: 'KIND',
        values: DATA_KINDS,
        summary: 'accounts, sessions, webhooks or keys (finished Idempotency-Keys). By default all of them.',
      },
      operator: OPERATOR,
      config: CONFIG,
    },
    example: 'sandgate data reset --partner demo --kind webhooks',
    load: () => import('./commands/data.ts').then(({ reset }) => ({ run: reset })),
  },
  {
    name: 'data backup',
    summary:
      'Copy the store and the signing keys, as of one instant, into a new or empty directory: from the running gateway, or from the data directory when none runs.',
    args: ['DIR'],
    options: { config: CONFIG },
    example: 'sandgate data backup backups/monday',
    load: () => import('./commands/data-backup.ts').then(({ backup }) => ({ run: backup })),
  },
  {
    name: 'data restore',
    summary:
      'Make the data directory, which must be absent or empty, out of a backup. No gateway may run there.',
    args: ['DIR'],
    options: { config: CONFIG },
    example: 'sandgate data restore backups/monday',
    load: () => import('./commands/data-backup.ts').then(({ restore }) => ({ run: restore })),
  },
  ...CASSETTE_COMMANDS,
  {
    name: 'record',
    summary: 'Record what a command says to a sandbox and what it answers, or replay what was recorded.',
    runsChild: true,
    options: {
      upstream: {
        value: 'URL',
        summary:
          'The sandbox. Its certificate must be trusted. Not needed, and never asked, where the mode only replays.',
      },
      out: { value: 'FILE', summary: 'The cassette: FILE.har.' },
      mode: {
        value: 'MODE',
        values: RECORD_MODES,
        summary:
          'none only replays FILE; once replays it, or records it when it is absent; new_episodes replays it, passes on what misses and adds it; all records anew and replaces FILE at the end. A failure leaves FILE as it was. By default none where CI is set, else once.',
      },
      port: { value: 'PORT', summary: 'The port on 127.0.0.1; by default a free one.' },
      timeout: {
        value: 'SECONDS',
        summary: 'How long the sandbox may take to begin an answer; 300 by default.',
      },
      'keep-urls': {
        summary:
          'Leave the URLs of answers as the sandbox has them, and name those that lead past the recorder. Without it they lead to the recorder.',
      },
      'allow-incomplete': {
        summary:
          'Take a recording in which answers are missing that broke off or cannot be read; without it the exit code is 6, and with --mode all FILE stays: the new cassette is written beside it.',
      },
      quiet: QUIET,
      config: CONFIG,
    },
    example: 'sandgate record --upstream https://sandbox.example.com --out payments.har -- npm test',
    load: () => import('./commands/record.ts'),
  },
  {
    name: 'replay',
    summary: 'Answer from cassettes: for a command, or until it is stopped.',
    args: ['FILE...'],
    runsChild: true,
    options: {
      port: { value: 'PORT', summary: 'The port on 127.0.0.1; by default a free one.' },
      profile: {
        value: 'PROFILE',
        values: ['contract', 'strict'],
        summary:
          'contract: the recorded order chooses among equal requests; strict: it must be kept. By default what the cassette says, which is contract.',
      },
      volatile: {
        value: 'LIST',
        adds: true,
        summary:
          'Further values that the client makes up in every run: pointers into a body or query, such as /metadata/step, or names of fields, with commas between them. A miss names the one that it wants.',
      },
      freeze: { summary: 'Serve instants as recorded instead of around now.' },
      'max-age': {
        value: 'AGE',
        summary: 'Warn when the oldest entry was recorded longer ago: 90d, 12w or 1y.',
      },
      'fail-old': { summary: 'Fail, rather than warn, when --max-age is passed.' },
      'fail-unused': { summary: 'Fail when an interaction was not used.' },
      junit: { value: 'FILE', summary: 'Write the misses as JUnit XML.' },
      ledger: {
        value: 'FILE',
        summary: 'Write what became of each entry, and the misses, as JSON.',
      },
      partners: {
        value: 'FILE',
        summary: 'Only these partners get a token; by default every client does, whatever its secret.',
      },
      quiet: QUIET,
      config: CONFIG,
    },
    example: 'sandgate replay recordings/payments.har -- npm test',
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'token',
    summary: `Print an access token, and nothing else. ${CLIENT_ENV}`,
    options: {
      scopes: {
        value: 'LIST',
        adds: true,
        values: SCOPES,
        summary: 'Narrower scopes than the key has, with commas between them.',
      },
      json: { summary: 'The whole answer: type, seconds that it lives, scopes.' },
      'allow-http': ALLOW_HTTP,
    },
    example: 'TOKEN=$(sandgate token --scopes payments:write)',
    load: () => import('./commands/token.ts'),
  },
  {
    name: 'call',
    summary: `Make one call, with a token and an Idempotency-Key of its own. ${CLIENT_ENV} SANDGATE_TOKEN is a token that it takes instead of getting one.`,
    args: ['OPERATION', 'NAME=VALUE...'],
    options: {
      list: { summary: 'The operations and their parameters; with OPERATION --help those of one.' },
      key: { value: 'UUID', summary: 'The Idempotency-Key; by default a new one, which is shown.' },
      header: {
        value: 'LINE',
        adds: 'line',
        summary: "A further header, such as 'X-Sandbox-Outcome: failed'.",
      },
      include: { short: 'i', summary: 'Print the status and every header of the answer before its body.' },
      quiet: { summary: 'On standard error only what went wrong.' },
      'allow-http': ALLOW_HTTP,
    },
    hasHelpOn: true,
    example: 'sandgate call payments.fund amount=5077 metadata.branch=Plateau',
    load: () => import('./commands/call.ts'),
  },
  {
    name: 'completion',
    summary: 'Print what completes commands, options and their values in a shell: bash, zsh or fish.',
    args: ['SHELL'],
    argValues: SHELLS,
    options: {},
    example: 'sandgate completion bash > sandgate.bash',
    load: () => import('./commands/completion.ts'),
  },
]
