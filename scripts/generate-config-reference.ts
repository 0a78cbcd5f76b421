import { stringify } from 'yaml'
import type { Command } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/command-table.ts'
import { optionText, usageOf } from '../src/cli/commands/help.ts'
import { EXIT_CODES } from '../src/cli/exit-codes.ts'
import { isScalar, variableName } from '../src/config/environment.ts'
import { ConfigSchema } from '../src/config/schema.ts'
import { type Schema, typeText } from '../src/config/wording.ts'

/** The settings, as Markdown: one part for each section of the file, made from the schema. */
export function configReference(): string {
  const sections = Object.entries((ConfigSchema as Schema).properties ?? {})
  return `${[
    '# Configuration',
    'One YAML file, checked as a whole before anything starts: `sandgate config check FILE`. What is left out has its default; a key that is not listed here is an error. Flags override environment variables, and variables override the file. "at once" means within a second of saving the file, or on SIGHUP; everything else needs a restart.',
    ...sections.map(([key, schema]) => section(key, schema)),
  ].join('\n\n')}\n`
}

function section(key: string, schema: Schema): string {
  const parts = [`## ${key}`, schema.description ?? '', table(HEAD, rowsOf(schema, key))]
  const items = schema.default
  if (Array.isArray(items) && items.length > 0)
    parts.push(`Default:\n\n\`\`\`yaml\n${key}:\n${listText(items)}\`\`\``)
  return parts.join('\n\n')
}

const HEAD = ['Setting', 'Value', 'Default', 'Takes effect', 'Variable', 'Meaning']

/** The rows of a setting and of everything in it. */
function rowsOf(schema: Schema, path: string, reload = false, required = false): string[][] {
  const soon = reload || schema.reload === true
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([key, child]) =>
      rowsOf(child, `${path}.${key}`, soon, schema.required?.includes(key)),
    )
  }
  const row = [
    code(path),
    valueText(schema),
    defaultText(schema, required),
    soon ? 'at once' : 'after a restart',
    path.includes('[]') || !isScalar(schema) ? '' : code(variableName(path.split('.'))),
    schema.description ?? '',
  ]
  // A list of scalars is described in its own row.
  const { items } = [schema, ...(schema.anyOf ?? [])].find((branch) => branch.items?.properties) ?? {}
  return [row, ...(items ? rowsOf(items, `${path}[]`, soon) : [])]
}

const FORMAT_TEXT: Readonly<Record<string, string>> = {
  host: 'an IP address or a host name',
  'http-origin': 'an http or https URL of scheme, host and port',
  cidr: 'a CIDR block such as `10.0.0.0/8`',
  'proxy-cidr': 'a CIDR block such as `10.0.0.0/8`, not `/0`',
}

function valueText(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(valueText).join(', or ')
  if (schema.enum) return schema.enum.map(code).join(', ')
  if (schema.items) return `a list${schema.items.properties ? '' : `; each item: ${valueText(schema.items)}`}`
  const [row] = Object.values(schema.patternProperties ?? {})
  if (row) return `a mapping; each key: ${schema.shape}; each value: ${typeText(row)}`
  const special = FORMAT_TEXT[schema.format ?? ''] ?? schema.shape
  const { minLength = 0, maxLength } = schema
  const lengths = maxLength === undefined ? '' : `${minLength} to ${maxLength} characters`
  return [special ?? typeText(schema), lengths].filter((text) => text !== '').join(', ')
}

function defaultText(schema: Schema, required: boolean): string {
  if (schema.default === undefined) return required ? 'required' : ''
  return Array.isArray(schema.default) && schema.default.length > 0
    ? 'below'
    : code(plainText(schema.default))
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function listText(items: readonly unknown[]): string {
  return items
    .map(
      (item) =>
        `  - ${stringify(item, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true })}`,
    )
    .join('')
}

const COMMAND_NOTE =
  'The examples run what a project has installed. Where it is installed for everybody, with `npm install --global`, `sandgate` alone is the same.'

/** The commands, as Markdown. */
export function cliReference(): string {
  const codes = Object.values(EXIT_CODES).map((exit) => [String(exit.code), exit.description])
  return `${['# Command line', COMMAND_NOTE, ...COMMANDS.map(commandText), '## Exit codes', table(['Code', 'Meaning'], codes)].join('\n\n')}\n`
}

function commandText(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => [
    code(optionText(name, option)),
    option.setting ? code(option.setting.join('.')) : '',
    option.summary,
  ])
  const parts = [`## sandgate ${command.name}`, command.summary, fenced(usageOf(command), 'text')]
  if (options.length > 0) parts.push(table(['Option', 'Overrides', 'Meaning'], options))
  return [...parts, 'For example:', fenced(asInstalled(command.example), 'sh')].join('\n\n')
}

/** As a project runs what it has installed; a name that is not installed is never fetched. */
function asInstalled(example: string): string {
  return example.replaceAll(/(^|[|;&(] ?)sandgate (?=[a-z])/gm, '$1npx --no -- sandgate ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

function fenced(text: string, language: 'sh' | 'text'): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
