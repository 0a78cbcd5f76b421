import { parseArgs } from 'node:util'
import { didYouMean } from '../config/suggest.ts'
import type { Command, Invocation } from './command.ts'
import { commandHelp, generalHelp, usageOf } from './commands/help.ts'

export type Parsed =
  | { readonly kind: 'run'; readonly invocation: Invocation }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  /** One line that says what is wrong and what to do. */
  | { readonly kind: 'wrong'; readonly message: string }

export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Parsed {
  const [first] = argv
  if (first === undefined) return wrong('sandgate: say what to do; sandgate --help lists the commands')
  if (first === '--version') return { kind: 'version' }
  if (first === '--help' || first === '-h') return { kind: 'help', text: generalHelp(commands) }
  const words = first === 'help' ? argv.slice(1) : argv
  if (words.length === 0) return { kind: 'help', text: generalHelp(commands) }
  const command = commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word))
  if (command === undefined) return wrong(unknownCommand(words, commands))
  if (first === 'help') return { kind: 'help', text: commandHelp(command) }
  return parseCommand(command, words.slice(command.name.split(' ').length))
}

function parseCommand(command: Command, all: readonly string[]): Parsed {
  const here = `sandgate ${command.name}:`
  // What follows `--` is another program's command line; none of its words are read here.
  const end = command.runsChild ? all.indexOf('--') : -1
  const words = end === -1 ? all : all.slice(0, end)
  const child = end === -1 ? [] : all.slice(end + 1)
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  // Not strict, because the messages of parseArgs do not say what to do; the tokens are judged below.
  const { tokens } = parseArgs({
    args: [...words],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const given: [string, string | true][] = []
  const args: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind !== 'option') continue
    if (token.name === 'help' || token.rawName === '-h') return { kind: 'help', text: commandHelp(command) }
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined
    if (option === undefined || !token.rawName.startsWith('--')) {
      return wrong(`${here} there is no option ${token.rawName}${optionHint(token.rawName, command)}`)
    }
    if (option.value === undefined) {
      if (token.value !== undefined) return wrong(`${here} ${token.rawName} takes no value`)
      given.push([token.name, true])
      continue
    }
    // `--config --port 1` lacks a file; a value that does begin with a dash is written --config=-x.
    const missing = !token.value || (!token.inlineValue && token.value.startsWith('-'))
    if (missing) return wrong(`${here} ${token.rawName} needs a value: ${token.rawName} ${option.value}`)
    const before = option.adds && given.find(([name]) => name === token.name)
    if (before) before[1] = `${before[1]},${token.value}`
    else given.push([token.name, token.value])
  }
  const extra = command.args?.at(-1)?.endsWith('...') ? undefined : args[command.args?.length ?? 0]
  if (extra !== undefined)
    return wrong(`${here} "${extra}" is one argument too many; usage: ${usageOf(command)}`)
  if (end !== -1 && child.length === 0)
    return wrong(`${here} a command must follow --; usage: ${usageOf(command)}`)
  return { kind: 'run', invocation: { command, options: Object.fromEntries(given), args, child } }
}

function wrong(message: string): Parsed {
  return { kind: 'wrong', message }
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): string {
  const [first = '', second] = words
  const names = commands.map(({ name }) => name)
  if (first.startsWith('-'))
    return `sandgate: there is no option ${first}; options follow a command: ${names.join(', ')}`
  const below = names.filter((name) => name.startsWith(`${first} `))
  if (below.length > 0 && (second === undefined || second.startsWith('-'))) {
    return `sandgate: ${first} is the beginning of ${below.join(', ')}; say which`
  }
  const typed = below.length > 0 ? `${first} ${second}` : first
  const hint = didYouMean(typed, names) || ';'
  return `sandgate: there is no command "${typed}"${hint} commands: ${names.join(', ')}`
}

function optionHint(rawName: string, command: Command): string {
  const names = Object.keys(command.options).map((name) => `--${name}`)
  if (names.length === 0) return '; it takes none'
  return didYouMean(rawName, names) || `; options: ${names.join(', ')}`
}

/** The items of an option that takes a list, with commas or spaces between them. */
export function listOf(text: string | true | undefined): readonly string[] {
  return typeof text === 'string' ? text.split(/[ ,]+/).filter((item) => item !== '') : []
}
