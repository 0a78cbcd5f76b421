import type { HeaderLine } from '../../http/header-lines.ts'
import { decodePercentOrKeep } from '../../http/percent.ts'
import { splitTarget } from '../../http/target.ts'
import type {
  CapturedReply,
  CapturedRequest,
  Cassette,
  Interaction,
  Place,
  Redaction,
} from '../interaction.ts'
import { type EditableField, queryFields, replaceFields } from '../message/body-fields.ts'
import { nextPointer, placeKey } from '../message/place.ts'
import { type Message, readableBody } from '../message/readable-body.ts'

type Names = ReadonlyMap<string, string>
type Where = (place: Place) => boolean

/** Other values for the old ones, at the places that are named; every other byte stays. */
export function renameRequest(request: CapturedRequest, names: Names, where: Where): CapturedRequest {
  const { target } = request
  const { path } = splitTarget(target)
  const query = renameFields(target, queryFields(target), 'query', names, where).slice(path.length)
  return {
    ...request,
    target: renamePath(path, names, where) + query,
    headers: renameHeaders(request.headers, 'request-header', names, where),
    body: renameBody(request, 'request-body', names, where),
  }
}

/** A segment as a whole where it is named, and marks wherever they stand. */
function renamePath(path: string, names: Names, where: Where): string {
  const segments = path.split('/').slice(1)
  const renamed = segments.map((segment, i) => {
    if (!where({ part: 'path', pointer: `/${i}` })) return segment
    const whole = names.get(decodePercentOrKeep(segment))
    return whole === undefined ? segment : encodeURIComponent(whole)
  })
  return marks(`/${renamed.join('/')}`, names)
}

export function renameReply(reply: CapturedReply, names: Names, where: Where): CapturedReply {
  return {
    ...reply,
    headers: renameHeaders(reply.headers, 'reply-header', names, where),
    body: renameBody(reply, 'reply-body', names, where),
  }
}

function renameHeaders(
  lines: readonly HeaderLine[],
  part: 'request-header' | 'reply-header',
  names: Names,
  where: Where,
): HeaderLine[] {
  const seen = new Map<string, number>()
  return lines.map(([name, value]): HeaderLine => {
    const place = { part, pointer: nextPointer(name.toLowerCase(), seen) }
    return [name, where(place) ? renameText(value, names) : value]
  })
}

function renameBody(
  message: Message,
  part: 'request-body' | 'reply-body',
  names: Names,
  where: Where,
): Uint8Array {
  const { bytes, fields, encoding } = readableBody(message)
  // A compressed body that was kept had nothing to redact.
  if (encoding !== 'plain') return message.body
  let text = renameFields(bytes, fields, part, names, where)
  if (where({ part, pointer: '' })) text = marks(text, names)
  return text === bytes ? message.body : Buffer.from(text, 'latin1')
}

function renameFields(
  text: string,
  fields: readonly EditableField[],
  part: Place['part'],
  names: Names,
  where: Where,
): string {
  return replaceFields(text, fields, ({ pointer, value }) =>
    where({ part, pointer }) ? renameText(value, names) : undefined,
  )
}

/** The text of a place: renamed as a whole, or where it holds what is renamed. */
function renameText(value: string, names: Names): string {
  const whole = names.get(value)
  if (whole !== undefined) return whole
  let text = marks(value, names)
  // A value that was repeated inside another text, such as an error's detail.
  if (text === value)
    for (const [from, to] of names) {
      if (from.startsWith('redacted-') || from.length < 8) continue
      if (text.includes(from)) return text.replaceAll(from, to)
      const encoded = encodeURIComponent(from)
      if (text.includes(encoded)) text = text.replaceAll(encoded, encodeURIComponent(to))
    }
  return text
}

/** Marks are unmistakable wherever they stand. */
function marks(text: string, names: Names): string {
  return text.replace(/redacted-[a-z0-9-]*-[0-9]+/g, (mark) => names.get(mark) ?? mark)
}

/** The stand-in that a cassette has for the value of a redaction, where keyed digests tell. */
export function knownByDigest(cassette: Cassette): (redaction: Redaction) => string | undefined {
  const known = new Map<string, string>()
  for (const { redaction, standIn } of redactedValues(cassette))
    if (redaction.digest) known.set(`${redaction.rule} ${redaction.digest}`, standIn)
  return ({ rule, digest }) => (digest === undefined ? undefined : known.get(`${rule} ${digest}`))
}

/** Other stand-ins for the old ones, wherever something was redacted. */
export function renameInteraction(interaction: Interaction, names: ReadonlyMap<string, string>): Interaction {
  const at = new Set(interaction.redactions.map(({ place }) => placeKey(place)))
  const request: CapturedRequest = renameRequest(interaction.request, names, (place) =>
    at.has(placeKey(place)),
  )
  const reply: CapturedReply | undefined =
    interaction.reply && renameReply(interaction.reply, names, (place) => at.has(placeKey(place)))
  const bindings = interaction.bindings.map((binding) => {
    if (!binding.places.some((place) => at.has(placeKey(place)))) return binding
    return { ...binding, value: renameText(binding.value, names) }
  })
  return { ...interaction, request, reply, bindings }
}

type RedactedValue = {
  readonly redaction: Redaction
  readonly standIn: string
}

/** What stands at the redacted places that are bound. */
export function* redactedValues({ interactions }: Pick<Cassette, 'interactions'>): Generator<RedactedValue> {
  for (const interaction of interactions) {
    const values = new Map<string, string>()
    for (const { value, places } of interaction.bindings)
      for (const place of places) values.set(placeKey(place), value)
    for (const redaction of interaction.redactions) {
      const standIn = values.get(placeKey(redaction.place))
      if (standIn !== undefined) yield { redaction, standIn }
    }
  }
}
