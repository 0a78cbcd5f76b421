import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { instant } from '../../clock.ts'
import type { HeaderLine } from '../../http/header-lines.ts'
import { printable } from '../../terminal.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import { placeKey } from '../message/place.ts'
import { type Message, readableBody } from '../message/readable-body.ts'

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
    paint('dim', `recorded ${instant(t0)} by ${printable(product)}, format ${version}, ${printable(origin)}`),
    paint('dim', `profile ${profile}, redaction ${printable(redaction)}`),
    paint('dim', rulesLine(cassette)),
    '',
    ...interactions.map((interaction) => summary(interaction, paint, lanes.size > 1)),
  ]
  return `${lines.join('\n')}\n`
}

/** What decides in it, and whether redacted values can be compared. */
function rulesLine({ outcomes, version, keyCheck }: Cassette): string {
  const key = keyCheck === undefined ? '' : ', recorded with a cassette key'
  if (!outcomes) return `outcome rules: the built-in ones, since format ${version} has none${key}`
  const whose = {
    sandbox: "the sandbox's",
    configuration: "a configuration's",
    'built-in': 'the built-in ones',
  }
  const seeded = Object.keys(outcomes.scores).length
  return `outcome rules: ${whose[outcomes.from]} (${outcomes.rules.length} magic inputs, ${seeded} seeded references)${key}`
}

function summary(interaction: Interaction, paint: Paint, lanes: boolean): string {
  const { sequence, startedAt, request, lane, operation } = interaction
  const parts = [
    paint('dim', `#${sequence}`.padStart(6)),
    paint('dim', instant(startedAt).slice(11, 23)),
    paint('bold', request.method.padEnd(4)),
    printable(request.target),
    statusOf(interaction, paint),
    paint('dim', printable(operation ?? 'unknown operation')),
  ]
  if (lanes) parts.push(paint('dim', `lane ${printable(lane) || '(none)'}`))
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
      `#${sequence} ${instant(startedAt)}, ${Math.round(durationMs)} ms, lane ${printable(lane) || '(none)'}`,
    ),
    paint('dim', `${printable(operation ?? 'unknown operation')}, answered by ${printable(origin)}`),
    '',
    paint('bold', `${request.method} ${printable(request.target)} HTTP/${request.httpVersion}`),
    ...showMessage(request, paint),
    '',
  ]
  if (reply === undefined) lines.push(paint('yellow', 'There was no reply.'))
  else {
    const reason = STATUS_CODES[reply.status] ?? ''
    lines.push(`${statusOf(interaction, paint)} ${reason}`.trimEnd(), ...showMessage(reply, paint))
  }
  if (interaction.refusedPair) {
    const { kind } = interaction.refusedPair
    lines.push(
      '',
      paint(
        'dim',
        `This pair of client and secret is known by its ${kind} digest: it is refused in any order.`,
      ),
    )
  }
  return [...lines, ...showHoles(interaction, paint), ...showRedactions(interaction, paint)]
}

function showMessage(message: Message, paint: Paint): string[] {
  const headers = message.headers.map(
    ([name, value]: HeaderLine) => `${paint('dim', `${printable(name)}:`)} ${printable(value)}`,
  )
  if (message.body.length === 0) return headers
  const bytes = Buffer.from(readableBody(message).bytes, 'latin1')
  if (!isUtf8(bytes)) return [...headers, '', paint('dim', `(${bytes.length} bytes that are no text)`)]
  const text = bytes.toString('utf8')
  return [...headers, '', ...printable(prettyJson(text) ?? text, '\n\t').split('\n')]
}

/** What a replay does with the values of this entry. */
function showHoles({ bindings, redactions }: Interaction, paint: Paint): string[] {
  if (bindings.length === 0) return []
  const digests = new Set(redactions.flatMap(({ place, digest }) => (digest ? [placeKey(place)] : [])))
  const lines = bindings.map(({ type, value, madeBy, places }) => {
    const where = places.map(placeKey)
    const how =
      madeBy === 'server'
        ? 'made by the server'
        : where.some((place) => digests.has(place))
          ? 'compared with the cassette key, else bound when first seen'
          : 'bound when first seen, not compared'
    return `  ${printable(type)} ${printable(value)} ${paint('dim', `${how}: ${printable(where.join(', '))}`)}`
  })
  return ['', paint('bold', 'Values that may differ in a replay'), ...lines]
}

function showRedactions({ redactions }: Interaction, paint: Paint): string[] {
  if (redactions.length === 0) return []
  const lines = redactions.map(
    ({ place, kind, rule }) => `  ${kind} ${printable(rule)} ${paint('dim', printable(placeKey(place)))}`,
  )
  return ['', paint('bold', 'Replaced before it was written'), ...lines]
}

/**
 * JSON for people, in its own tokens: `10.00` stays `10.00`. For display only. Undefined when the text is no JSON.
 */
function prettyJson(text: string): string | undefined {
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
