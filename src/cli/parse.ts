import { parseArgs } from 'node:util'
import { closest, didYouMean } from '../config/suggest.ts'
import type { Command, Invocation, Option } from './command.ts'
import { commandHelp, generalHelp, groupHelp, startScreen, usageOf } from './commands/help.ts'

export type Parsed =
  | { readonly kind: 'run'; readonly invocation: Invocation }
  | { readonly kind: 'help'; readonly text: string }
  /** Help on what the arguments of a command name, which the command itself knows. */
  | { readonly kind: 'help-on'; readonly command: Command; readonly args: readonly string[] }
  /** Nothing is wrong, and nothing was asked for: what there is. */
  | { readonly kind: 'incomplete'; readonly text: string }
  | { readonly kind: 'version' }
  /** One line that says what is wrong and what to do. */
  | { readonly kind: 'wrong'; readonly message: string }

export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Parsed {
  const [first] = argv
  if (first === undefined) return { kind: 'incomplete', text: startScreen(commands) }
  if (first === '--version' || first === '-V') return { kind: 'version' }
  if (isHelp(first)) return { kind: 'help', text: generalHelp(commands) }
  const words = first === 'help' ? argv.slice(1) : argv
  if (words.length === 0) return { kind: 'help', text: generalHelp(commands) }
  const command = commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word))
  if (command === undefined) return groupOrWrong(words, commands, first === 'help')
  const rest = words.slice(command.name.split(' ').length)
  if (first === 'help') return helpOf(command, rest)
  return parseCommand(command, rest, commands)
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h'
}

function helpOf(command: Command, args: readonly string[]): Parsed {
  return command.hasHelpOn && args.length > 0
    ? { kind: 'help-on', command, args }
    : { kind: 'help', text: commandHelp(command) }
}

/** `cassette`, and `cassette --help`: the commands that begin so. */
function groupOrWrong(words: readonly string[], commands: readonly Command[], isHelpWanted: boolean): Parsed {
  const [group = '', next] = words
  const members = commands.filter(({ name }) => name.startsWith(`${group} `))
  if (members.length === 0) return wrong(unknownCommand(words, commands))
  const text = groupHelp(group, members)
  if (next === undefined) return isHelpWanted ? { kind: 'help', text } : { kind: 'incomplete', text }
  return isHelp(next) || next === 'help' ? { kind: 'help', text } : wrong(unknownCommand(words, members))
}

function parseCommand(command: Command, all: readonly string[], commands: readonly Command[]): Parsed {
  const here = `sandgate ${command.name}:`
  // What follows `--` is another program's command line; none of its words are read here.
  const end = command.runsChild ? all.indexOf('--') : -1
  const words = end === -1 ? all : all.slice(0, end)
  const child = end === -1 ? [] : all.slice(end + 1)
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
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
    if (token.rawName === '--help' || token.rawName === '-h')
      return helpOf(
        command,
        tokens.flatMap((each) => (each.kind === 'positional' ? [each.value] : [])),
      )
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined
    if (option === undefined || !isNameOf(token.rawName, option)) {
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
    const unknown = judgeValue(token.rawName, token.value ?? '', option)
    if (unknown !== undefined) return wrong(`${here} ${unknown}`)
    const before = option.adds && given.find(([name]) => name === token.name)
    if (before) before[1] = `${before[1]}${option.adds === 'line' ? '\n' : ','}${token.value}`
    else given.push([token.name, token.value])
  }
  const extra = command.args?.at(-1)?.endsWith('...') ? undefined : args[command.args?.length ?? 0]
  if (extra !== undefined)
    return wrong(`${here} "${extra}" is one argument too many; usage: ${usageOf(command)}`)
  if (end !== -1 && child.length === 0)
    return wrong(`${here} a command must follow --; usage: ${usageOf(command)}`)
  return { kind: 'run', invocation: { command, options: Object.fromEntries(given), args, commands, child } }
}

function wrong(message: string): Parsed {
  return { kind: 'wrong', message }
}

/** parseArgs also calls an option that it does not know by the letter of a short one. */
function isNameOf(rawName: string, { short }: Option): boolean {
  return rawName.startsWith('--') || (short !== undefined && rawName === `-${short}`)
}

/** What is wrong with a value of a few; the configuration judges those of settings. */
function judgeValue(rawName: string, value: string, option: Option): string | undefined {
  const { values, setting, adds } = option
  if (values === undefined || setting !== undefined) return undefined
  const strange = (adds ? listOf(value) : [value]).find((each) => !values.includes(each))
  if (strange === undefined) return undefined
  const all = values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ')
  return `${rawName} is ${all}, not ${strange}${didYouMean(strange, values)}`
}

/** What was meant, or else where to look; a list of everything would hide the mistake. */
function unknownCommand(words: readonly string[], among: readonly Command[]): string {
  const [first = '', second = ''] = words
  const names = among.map(({ name }) => name)
  if (first.startsWith('-')) {
    const hint = didYouMean(first, ['--help', '--version'])
    return `sandgate: there is no option ${first}${hint || '; options follow a command: sandgate COMMAND [OPTIONS]'}`
  }
  const isGroup = names.every((name) => name.startsWith(`${first} `))
  const typed = isGroup ? `${first} ${second}` : first
  const help = isGroup ? `sandgate ${first} --help` : 'sandgate --help'
  const meant = isGroup ? closestBelow(second, names) : closestOf(words, names)
  const hint = meant === undefined ? `; ${help} lists the commands` : `; did you mean ${meant}?`
  return `sandgate: there is no command "${typed}"${hint}`
}

function closestBelow(word: string, names: readonly string[]): string | undefined {
  const found = closest(
    word,
    names.map((name) => name.split(' ').at(-1) ?? name),
  )
  return names.find((name) => name.split(' ').at(-1) === found)
}

/** A command in two words goes before one in one: `casette show` means cassette show. */
function closestOf(
  [first = '', second = '']: readonly string[],
  names: readonly string[],
): string | undefined {
  const both = names.filter((name) => name.includes(' '))
  const groups = both.map((name) => name.split(' ')[0] ?? name)
  const inTwo = second === '' ? undefined : closest(`${first} ${second}`, both)
  return inTwo ?? closest(first, [...names, ...groups])
}

function optionHint(rawName: string, command: Command): string {
  const names = ['--help', ...Object.keys(command.options).map((name) => `--${name}`)]
  if (names.length === 1) return '; it takes none'
  return didYouMean(rawName, names) || `; sandgate ${command.name} --help lists them`
}

/** The items of an option that takes a list, with commas or spaces between them. */
export function listOf(text: string | true | undefined): readonly string[] {
  return typeof text === 'string' ? text.split(/[ ,]+/).filter((item) => item !== '') : []
}
