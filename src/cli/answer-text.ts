import type { CapturedReply } from '../cassettes/interaction.ts'
import { headerOf } from '../http/header-lines.ts'
import { jsonObject } from '../http/json-object.ts'
import { printable } from '../terminal.ts'
import type { Exit } from './exit-codes.ts'

/** How a command ends that got this answer. */
export function exitOf({ status }: CapturedReply): Exit {
  if (status >= 200 && status < 300) return 'ok'
  return status >= 500 ? 'unavailable' : 'refused'
}

/** What a person wants to know of an answer beside its body: lines, each with a newline. */
const ESSENTIAL = [
  'Location',
  'Idempotency-Replayed',
  'Retry-After',
  'X-Sandbox-Rule',
  'X-RateLimit-Remaining',
  'X-Request-Id',
]

export function headText({ status, headers }: CapturedReply, names: readonly string[] = ESSENTIAL): string {
  const lines = names.flatMap((name) => {
    const value = headerOf(headers, name.toLowerCase())
    return value === undefined ? [] : [`${name}: ${printable(value)}\n`]
  })
  return [`${status}\n`, ...lines].join('')
}

/** Status line and every header, as they came. */
export function wholeHead({ status, headers }: CapturedReply): string {
  const lines = headers.map(([name, value]) => `${printable(name)}: ${printable(value)}\n`)
  return [`HTTP/1.1 ${status}\n`, ...lines, '\n'].join('')
}

/** A problem document for somebody who reads it; what is none is told by its status, and a redirect by where it leads. */
export function problemText({ status, headers, body }: CapturedReply): string {
  const problem = jsonObject(body)
  if (problem === undefined) {
    const location = headerOf(headers, 'location')
    const isRedirect = status >= 300 && status < 400 && location !== undefined
    return isRedirect
      ? `It leads to ${printable(location)}, where nothing was sent.\n`
      : `The answer is no problem document.\n`
  }
  // The token endpoint answers as OAuth says, with our members beside it.
  const { title, detail, resolution, type, code } = problem
  const said = [
    title ?? problem.error,
    detail ?? problem.error_description,
    ...errorLines(problem.errors),
    resolution,
  ]
  const more = typeof type === 'string' && type !== 'about:blank' ? [`More: ${type}`] : []
  const head = text(code)
  return [...(head === '' ? [] : [head]), ...said.map(text), ...more]
    .filter((line) => line !== '')
    .map((line) => `${printable(line)}\n`)
    .join('')
}

function errorLines(errors: unknown): string[] {
  if (!Array.isArray(errors)) return []
  return errors.map((each: Record<string, unknown> | null) => {
    const where = each?.pointer ?? each?.parameter ?? each?.header
    return `  ${text(where)}: ${text(each?.detail)}`
  })
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A body for a terminal: JSON in lines, and nothing that steers it. */
export function bodyForTerminal(body: Uint8Array): string {
  const raw = Buffer.from(body).toString('utf8')
  try {
    return `${printable(JSON.stringify(JSON.parse(raw), null, 2), '\n')}\n`
  } catch {
    return raw === '' ? '' : `${printable(raw, '\n\t')}\n`
  }
}
