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
      ['--help', 'Show this, or with a command its options.'],
      ['--version', 'Show the version.'],
    ])}`,
    `Exit codes:\n${table(Object.values(EXIT_CODES).map((exit) => [String(exit.code), exit.description] as const))}`,
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

export function optionText(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

/** Two columns, the second one wrapped. */
function table(rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4
  return rows
    .map(([term, text]) => {
      const lines = wrapped(text, WIDTH - left)
      return `  ${term}`.padEnd(left) + lines.join(`\n${' '.repeat(left)}`)
    })
    .join('\n')
}

function wrapped(text: string, width: number): string[] {
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
