/** How every command ends; the reference is made from this table. */
export const EXIT_CODES = {
  ok: { code: 0, description: 'Done, or stopped as asked.' },
  failure: { code: 1, description: 'Something failed that no other code names.' },
  usage: {
    code: 2,
    description:
      'The command line is wrong or incomplete: no command, an unknown command or option, or a bad value.',
  },
  configuration: { code: 3, description: 'The configuration is not valid.' },
  store: {
    code: 4,
    description: 'The data directory is in use by another gateway, is damaged, or cannot be used.',
  },
  address: { code: 5, description: 'An address to listen on is already in use.' },
  recording: { code: 6, description: 'The recording failed or is incomplete.' },
  cassette: { code: 7, description: 'A cassette cannot be read, or has problems.' },
  refused: {
    code: 8,
    description: 'call, token: the sandbox refused the request; any answer but 2xx and 5xx.',
  },
  unavailable: {
    code: 9,
    description:
      'call, token: the sandbox was not reached, gave no whole answer, or one with 5xx. Send the same request with the same key again.',
  },
} as const satisfies Record<string, { readonly code: number; readonly description: string }>

export type Exit = keyof typeof EXIT_CODES

/** The code of a named exit; a command that ran another one ends with that one's code. */
export function exitCode(ending: Exit | number): number {
  return typeof ending === 'number' ? ending : EXIT_CODES[ending].code
}
