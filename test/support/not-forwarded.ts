/** What of the contract suite is not asked of a gateway that forwards to a second one, and why. */
export const NOT_FORWARDED = {
  files: {
    'test/contract/crash.test.ts':
      'The store of a gateway that decides itself; test/upstream/random-mix.test.ts kills one that forwards.',
    'test/contract/restart.test.ts': 'The store of a gateway that decides itself.',
    'test/contract/storage.test.ts':
      'The store of the gateway itself: its quotas and its reset, of which an upstream hears nothing.',
    'test/contract/many-partners.test.ts': 'A reload, which no decider sees.',
    'test/contract/documents.test.ts': 'Documents of the gateway itself.',
    'test/contract/operator.test.ts': 'The operator listener and the clock of the gateway itself.',
    'test/contract/lame-duck.test.ts':
      'How the listener itself ends; nothing that is asked meanwhile is decided.',
    'test/contract/log-client.test.ts': 'The log of the gateway itself, of refusals that no decider sees.',
    'test/contract/widget-page.test.ts':
      'Pages are passed on as they are, and their decision is counted where they are made; test/upstream/widget.test.ts.',
  },
  /** By name. */
  tests: {
    'takes one decision: a second submission shows the first and spends no cap':
      'That a decision is shown again is known to whoever keeps the sessions: in front every decided answer counts.',
    'takes one decision when many arrive at once': 'The same.',
    'ends an idle gateway at once, with 0, whatever connections are kept alive':
      'How the gateway itself ends; nothing is decided.',
    'SIGINT stops it in the same way': 'The same.',
    'waits no longer than configured for a request that does not end':
      'A body that is not whole reaches no decider.',
    'twice ends it at once': 'The same.',
  },
} as const
