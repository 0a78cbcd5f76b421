/**
 * What `npm run test:quick` leaves out; whatever is not named here is in it, new files too. test/effort.test.ts holds
 * that each name is a file or a folder, and that what stays starts no browser and kills nothing in a loop.
 */
export const NOT_QUICK = {
  /** In a browser. */
  browser: [
    'test/cassettes/file/har.test.ts',
    'test/cassettes/file/har-readers.test.ts',
    'test/docs/docs-page.test.ts',
    'test/docs/screenshots.test.ts',
    'test/portal/operator-overview.test.ts',
    'test/portal/portal-journeys.test.ts',
    'test/portal/portal-screenshots.test.ts',
    'test/portal/screenshots.test.ts',
    'test/portal/widget-journeys.test.ts',
    'test/portal/widget-states.test.ts',
  ],
  /** Killed again and again. */
  crash: [
    'test/cassettes/writer/kill.test.ts',
    'test/cli/canaries-on-the-way.test.ts',
    'test/contract/crash.test.ts',
    'test/store/embedded-crash.test.ts',
    'test/store/damaged.test.ts',
  ],
  /** Floods, slow clients and thousands of bad requests. */
  hostile: ['test/hostile'],
  /** A command line, a compiler or a package manager at a time: seconds each. */
  programs: [
    'test/cli/backup.test.ts',
    'test/cli/call.test.ts',
    'test/cli/cassette-faults.test.ts',
    'test/cli/cassette-replay.test.ts',
    'test/cli/completion.test.ts',
    'test/cli/ready.test.ts',
    'test/cli/signing-keys.test.ts',
    'test/clients/typed.test.ts',
    'test/contract/restart.test.ts',
    'test/contract/shutdown.test.ts',
    'test/docs/generated-types.test.ts',
    'test/docs/guides.test.ts',
    'test/docs/redocly.test.ts',
    'test/pack/pack.test.ts',
    'test/recorder/command.test.ts',
    'test/recorder/episodes.test.ts',
    'test/recorder/faults.test.ts',
    'test/recorder/modes.test.ts',
    'test/recordings/front-door.test.ts',
    'test/recordings/shipped.test.ts',
  ],
  /** Time that has to pass. */
  waiting: ['test/contract/raw-bodies.test.ts', 'test/config/live.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>
