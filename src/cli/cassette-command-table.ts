import type { Command, Option } from './command.ts'

const CONFIG: Option = {
  value: 'FILE',
  summary:
    'The configuration whose outcome rules and scores name the test values; by default the built-in ones.',
}

const OUT: Option = {
  value: 'FILE',
  summary: 'The new cassette, a .har. It is written as a whole or not at all.',
}
const FORCE: Option = { summary: 'Replace the file when it is there.' }

/** What there is to do with cassettes beside recording and replaying them. */
export const CASSETTE_COMMANDS: readonly Command[] = [
  {
    name: 'cassette show',
    summary: 'Show what a cassette holds: a line for each entry, or one entry in full.',
    args: ['FILE'],
    options: {
      entry: {
        value: 'N',
        summary: 'This entry in full, with its body and what a replay does with its values.',
      },
      operation: { value: 'ID', summary: 'Only entries of this operation, such as payments.fund.' },
      status: { value: 'STATUS', summary: 'Only entries with this status: 404, 4xx, or none for no reply.' },
      lane: { value: 'NAME', summary: 'Only entries of this lane.' },
      json: { summary: 'Print the entries as JSON; with --entry also headers and bodies.' },
      color: { summary: 'Colors also where no terminal is.' },
    },
    example: 'sandgate cassette show recordings/onboarding.har --entry 3',
    load: () => import('./commands/cassette-show.ts'),
  },
  {
    name: 'cassette lint',
    summary: 'Look for secrets, personal data and damage in cassettes before they are committed.',
    args: ['FILE...'],
    options: { strict: { summary: 'Warnings count as well.' }, config: CONFIG },
    example: 'sandgate cassette lint recordings/*.har',
    load: () => import('./commands/cassette-lint.ts'),
  },
  {
    name: 'cassette diff',
    summary: 'Compare two cassettes by what they say; ends with 1 when they differ.',
    args: ['BEFORE', 'AFTER'],
    options: {},
    example: 'sandgate cassette diff old.har new.har',
    load: () => import('./commands/cassette-diff.ts'),
  },
  {
    name: 'cassette merge',
    summary: 'Make one cassette of several, as if they had been recorded one after the other.',
    args: ['FILE...'],
    options: { out: OUT, force: FORCE, config: CONFIG },
    example: 'sandgate cassette merge onboarding.har payments.har --out all.har',
    load: () => import('./commands/cassette-merge.ts'),
  },
  {
    name: 'cassette import',
    summary: 'Make a redacted cassette of the HAR of a browser, a proxy or a test runner.',
    args: ['FILE'],
    options: {
      out: OUT,
      force: FORCE,
      origin: {
        value: 'URL',
        summary:
          'Scheme, host and port of the API in the HAR; by default those of the first request of the interface.',
      },
      'allow-incomplete': {
        summary:
          'Take a HAR in which answers are missing: bodies that were left out or cut, and those that came from the cache of a browser. Without it the exit code is 7. The cassette is written in any case.',
      },
      config: CONFIG,
    },
    example: 'sandgate cassette import devtools.har --out recordings/onboarding.har',
    load: () => import('./commands/cassette-import.ts'),
  },
  {
    name: 'cassette prune',
    summary:
      'Take out of cassettes what no test has used, or what was recorded long ago. What something that is kept depends on stays.',
    args: ['FILE...'],
    options: {
      unused: {
        value: 'LEDGER',
        adds: true,
        summary: 'A ledger of sandgate replay --ledger; given several times, what none of them used goes.',
      },
      'older-than': { value: 'AGE', summary: 'What was recorded longer ago goes: 180d, 26w or 1y.' },
      'dry-run': { summary: 'Say what would go, and change nothing.' },
      config: CONFIG,
    },
    example: 'sandgate cassette prune recordings/payments.har --unused ledger.json',
    load: () => import('./commands/cassette-prune.ts'),
  },
  {
    name: 'cassette verify',
    summary:
      'Send what was recorded to a live sandbox and report where it answers otherwise; ends with 1 when a client may break. The sandbox key is read from SANDGATE_CLIENT_SECRET.',
    args: ['FILE'],
    options: {
      against: { value: 'URL', summary: 'The sandbox. Nothing is sent anywhere else.' },
      'client-id': {
        value: 'ID',
        summary: 'The key id or tenant to get tokens for; by default the recorded one.',
      },
      tenant: { value: 'ID', summary: 'Sent as X-Tenant-Id in place of the recorded one.' },
      volatile: {
        value: 'LIST',
        adds: true,
        summary: 'Further fields whose values may differ, with commas between them.',
      },
      json: { summary: 'Print the report as JSON.' },
    },
    example: 'sandgate cassette verify recordings/onboarding.har --against https://sandbox.example.com',
    load: () => import('./commands/cassette-verify.ts'),
  },
]
