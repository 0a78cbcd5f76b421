import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { instant } from '../../clock.ts'
import type { HeaderLine } from '../../http/header-lines.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import { type Message, readBody } from '../message/read-body.ts'

export type ShowOptions = {
  readonly color: boolean
  /** The sequence of the one to show in full; all of them in one line each without it. */
  readonly entry?: number
}

type Paint = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string

const CODES = { bold: 1, dim: 2, green: 32, red: 31, yellow: 33 } as const

/** A cassette for people, on a terminal. What was recorded cannot steer the terminal. */
export function showCassette(cassette: Cassette, { color, entry }: ShowOptions): string {
  const paint: Paint = (style, text) => (color ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text)
  const { interactions, product, version, origin, profile, redaction, t0 } = cassette
  if (entry !== undefined) {
    const found = interactions.find(({ sequence }) => sequence === entry)
    if (found === undefined) return `There is no entry ${entry}; the cassette has ${interactions.length}.\n`
    return `${showInteraction(found, paint).join('\n')}\n`
  }
  const lanes = new Set(interactions.map(({ lane }) => lane))
  const lines = [
    paint('bold', `${interactions.length} interactions`) + (lanes.size > 1 ? ` in ${lanes.size} lanes` : ''),
    paint('dim', `recorded ${instant(t0)} by ${safe(product)}, format ${version}, ${safe(origin)}`),
    paint('dim', `profile ${profile}, redaction ${safe(redaction)}`),
    '',
    ...interactions.map((interaction) => summary(interaction, paint, lanes.size > 1)),
  ]
  return `${lines.join('\n')}\n`
}

function summary(interaction: Interaction, paint: Paint, lanes: boolean): string {
  const { sequence, startedAt, request, lane, operation } = interaction
  const parts = [
    paint('dim', `#${sequence}`.padStart(6)),
    paint('dim', instant(startedAt).slice(11, 23)),
    paint('bold', request.method.padEnd(4)),
    safe(request.target),
    statusOf(interaction, paint),
    paint('dim', safe(operation ?? 'unknown operation')),
  ]
  if (lanes) parts.push(paint('dim', `lane ${safe(lane) || '(none)'}`))
  return parts.join(' ')
}

function statusOf({ reply }: Interaction, paint: Paint): string {
  if (reply === undefined) return paint('yellow', 'no reply')
  return paint(reply.status < 400 ? 'green' : 'red', String(reply.status))
}

function showInteraction(interaction: Interaction, paint: Paint): string[] {
  const { request, reply, sequence, startedAt, durationMs, lane, operation, origin } = interaction
  const lines = [
    paint(
      'dim',
      `#${sequence} ${instant(startedAt)}, ${Math.round(durationMs)} ms, lane ${safe(lane) || '(none)'}`,
    ),
    paint('dim', `${safe(operation ?? 'unknown operation')}, answered by ${safe(origin)}`),
    '',
    paint('bold', `${request.method} ${safe(request.target)} HTTP/${request.httpVersion}`),
    ...showMessage(request, paint),
    '',
  ]
  if (reply === undefined) lines.push(paint('yellow', 'There was no reply.'))
  else {
    const reason = STATUS_CODES[reply.status] ?? ''
    lines.push(`${statusOf(interaction, paint)} ${reason}`.trimEnd(), ...showMessage(reply, paint))
  }
  return [...lines, ...showHoles(interaction, paint), ...showRedactions(interaction, paint)]
}

function showMessage(message: Message, paint: Paint): string[] {
  const headers = message.headers.map(
    ([name, value]: HeaderLine) => `${paint('dim', `${safe(name)}:`)} ${safe(value)}`,
  )
  if (message.body.length === 0) return headers
  const bytes = Buffer.from(readBody(message).bytes, 'latin1')
  if (!isUtf8(bytes)) return [...headers, '', paint('dim', `(${bytes.length} bytes that are no text)`)]
  const text = bytes.toString('utf8')
  return [...headers, '', ...safe(prettyJson(text) ?? text, true).split('\n')]
}

/** What a replay does with the values of this entry. */
function showHoles({ bindings, redactions }: Interaction, paint: Paint): string[] {
  if (bindings.length === 0) return []
  const digests = new Set(
    redactions.flatMap(({ place, digest }) => (digest ? [`${place.part} ${place.pointer}`] : [])),
  )
  const lines = bindings.map(({ type, value, madeBy, places }) => {
    const where = places.map(({ part, pointer }) => `${part} ${pointer}`)
    const how =
      madeBy === 'server'
        ? 'made by the server'
        : where.some((place) => digests.has(place))
          ? 'compared with the cassette key, else bound when first seen'
          : 'bound when first seen, not compared'
    return `  ${safe(type)} ${safe(value)} ${paint('dim', `${how}: ${safe(where.join(', '))}`)}`
  })
  return ['', paint('bold', 'Values that may differ in a replay'), ...lines]
}

function showRedactions({ redactions }: Interaction, paint: Paint): string[] {
  if (redactions.length === 0) return []
  const lines = redactions.map(
    ({ place, kind, rule }) =>
      `  ${kind} ${safe(rule)} ${paint('dim', safe(`${place.part} ${place.pointer}`))}`,
  )
  return ['', paint('bold', 'Replaced before it was written'), ...lines]
}

/** Control characters and direction marks, which a terminal would obey, as escapes. */
function safe(text: string, lines = false): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (lines && (character === '\n' || character === '\t')) return character
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}

/**
 * JSON for people, in its own tokens: `10.00` stays `10.00`. For display only. Undefined when the text is no JSON.
 */
export function prettyJson(text: string): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let result = ''
  let indent = ''
  const token = /"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+|[{}[\],:]/g
  const tokens = text.match(token) ?? []
  for (const [i, part] of tokens.entries()) {
    const next = tokens[i + 1]
    switch (part) {
      case '{':
      case '[':
        result += part
        if (next === '}' || next === ']') break
        indent += '  '
        result += `\n${indent}`
        break
      case '}':
      case ']': {
        const before = tokens[i - 1]
        if (before !== '{' && before !== '[') {
          indent = indent.slice(2)
          result += `\n${indent}`
        }
        result += part
        break
      }
      case ',':
        result += `,\n${indent}`
        break
      case ':':
        result += ': '
        break
      default:
        result += part
    }
  }
  return result
}
