import type { Command, Option } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'

const WIDTH = 88

export function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return [
    'sandgate: the front door of a partner sandbox.',
    'Usage: sandgate COMMAND [OPTIONS]',
    `Commands:\n${table(rows)}`,
    `Options:\n${table([
      ['-h, --help', 'Show this, or with a command its options.'],
      ['-V, --version', 'Show the version.'],
    ])}`,
    `Exit codes:\n${table(Object.values(EXIT_CODES).map((exit) => [String(exit.code), exit.description] as const))}`,
  ].join('\n\n')
}

/** For whoever types `sandgate` alone: what it is, and where to begin. */
export function startScreen(commands: readonly Command[]): string {
  const groups = new Set(commands.map(({ name }) => name.split(' ')[0] ?? name))
  return [
    'Sandgate is the front door of a partner sandbox for a financial API: it answers from a simulator, and records and replays what passes.',
    `To begin:\n${table(FIRST)}`,
    `All commands: ${[...groups].join(', ')}.`,
    'sandgate --help says what each does; sandgate COMMAND --help shows its options.',
  ]
    .flatMap((part) => (part.includes('\n') ? [part] : [wrapped(part, WIDTH).join('\n')]))
    .join('\n\n')
}

const FIRST: readonly (readonly [string, string])[] = [
  ['sandgate serve', 'Run a gateway on this machine, with a demo partner.'],
  ['sandgate call payments.fund amount=5077', 'Make a first payment with it.'],
  ['sandgate record --upstream URL --out FILE -- COMMAND', 'Record what your tests say to a sandbox.'],
  ['sandgate replay FILE -- COMMAND', 'Run them again without the sandbox.'],
]

/** The commands whose first word is `group`. */
export function groupHelp(group: string, members: readonly Command[]): string {
  return [
    `Usage: sandgate ${group} COMMAND [OPTIONS]`,
    `Commands:\n${table(members.map(({ name, summary }) => [name, summary] as const))}`,
    `sandgate ${group} COMMAND --help shows the options of one.`,
  ].join('\n\n')
}

export function commandHelp(command: Command): string {
  const options = Object.entries(command.options)
  const rows = options.map(([name, option]) => [optionText(name, option), option.summary] as const)
  const parts = [command.summary, `Usage: ${usageOf(command)}`]
  if (rows.length > 0) parts.push(`Options:\n${table(rows)}`)
  return [...parts, `Example:\n  ${command.example}`].join('\n\n')
}

export function usageOf({ name, args = [], options, runsChild }: Command): string {
  return [
    'sandgate',
    name,
    ...(Object.keys(options).length > 0 ? ['[OPTIONS]'] : []),
    ...args.map((arg) => `[${arg}]`),
    ...(runsChild ? ['[-- COMMAND...]'] : []),
  ].join(' ')
}

export function optionText(name: string, { value, short }: Option): string {
  const long = short === undefined ? `--${name}` : `-${short}, --${name}`
  return value === undefined ? long : `${long} ${value}`
}

/** Two columns, the second one wrapped. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4
  return rows
    .map(([term, text]) => {
      const lines = wrapped(text, WIDTH - left)
      return `  ${term}`.padEnd(left) + lines.join(`\n${' '.repeat(left)}`)
    })
    .join('\n')
}

export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
