import { OPERATIONS } from '../../operations/operations.ts'
import { parametersOf } from '../call-request.ts'
import type { Command, Option } from '../command.ts'

/** What may stand at a place of a command line. */
export type Candidates =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' | 'directories' | 'nothing' }

export type CompletedOption = {
  readonly name: string
  readonly short: string | undefined
  readonly summary: string
  /** Undefined for a switch. */
  readonly value: Candidates | undefined
}

export type Completed = {
  /** `config check`. */
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletedOption[]
  readonly args: Candidates
  readonly runsChild: boolean
}

/** What a shell completes: all of it is known when the script is made, so that no key press starts a program. */
export function completedCommands(commands: readonly Command[]): Completed[] {
  return commands.map(({ name, summary, options, args = [], argValues, hasHelpOn, runsChild = false }) => ({
    name,
    summary: firstSentence(summary),
    runsChild,
    args: hasHelpOn
      ? { kind: 'words', words: OPERATIONS.map(({ id }) => id) }
      : argValues
        ? { kind: 'words', words: argValues }
        : ofValue(args.at(-1)),
    options: [
      ...Object.entries(options).map(([option, { short, summary: about, ...more }]) => ({
        name: option,
        short,
        summary: firstSentence(about),
        value: more.value === undefined ? undefined : ofOption(more),
      })),
      { name: 'help', short: 'h', summary: 'Show what it does.', value: undefined },
    ],
  }))
}

/** What follows an operation of `sandgate call`, by its id. */
export function completedParameters(): [id: string, words: string[]][] {
  return OPERATIONS.map((operation) => [
    operation.id,
    parametersOf(operation).map((name) =>
      name.endsWith('.NAME') ? name.slice(0, -'NAME'.length) : `${name}=`,
    ),
  ])
}

/** The groups and the commands without one. */
export function firstWords(completed: readonly Completed[]): string[] {
  return [...new Set([...completed.map(({ name }) => name.split(' ')[0] ?? name), 'help'])]
}

/** The second words by the first. */
export function secondWords(completed: readonly Completed[]): Map<string, Completed[]> {
  const found = new Map<string, Completed[]>()
  for (const command of completed) {
    const [first = '', second] = command.name.split(' ')
    if (second !== undefined) found.set(first, [...(found.get(first) ?? []), command])
  }
  return found
}

function ofOption({ value, values }: Omit<Option, 'summary'>): Candidates {
  return values ? { kind: 'words', words: values } : ofValue(value)
}

const FILES = ['FILE', 'LEDGER', 'BEFORE', 'AFTER']

function ofValue(name: string | undefined): Candidates {
  const bare = name?.replace('...', '') ?? ''
  if (FILES.includes(bare)) return { kind: 'files' }
  return { kind: bare === 'DIR' ? 'directories' : 'nothing' }
}

function firstSentence(text: string): string {
  return text.replace(/[.:;] .*$/s, '').replace(/\.$/, '')
}
