import { headerOf } from '../../http/header-lines.ts'
import { append } from '../../map-entries.ts'
import type { Place } from '../interaction.ts'
import { type Bound, boundOf, type Entry } from '../matching/entry.ts'
import { instantOf, isInstantName } from '../message/instants.ts'
import { eachScalar, readJson } from '../message/json-tree.ts'
import { placeKey } from '../message/place.ts'
import { TOKEN_DELIMITERS } from '../message/values.ts'

const shapes = new WeakMap<Entry['interaction'], string>()

/**
 * A reply with its bound values and instants left out: two replies with one shape differ in nothing that a client
 * could tell them apart by.
 */
export function replyShape(entry: Entry): string {
  const { interaction } = entry
  const known = shapes.get(interaction)
  if (known !== undefined) return known
  const shape = describeShape(entry)
  shapes.set(interaction, shape)
  return shape
}

function describeShape(entry: Entry): string {
  const { reply } = entry.interaction
  if (!reply) return ''
  const bound = new Map<string, Bound[]>()
  for (const binding of boundOf(entry)) {
    for (const place of binding.places)
      if (place.part.startsWith('reply-')) append(bound, placeKey(place), binding)
  }
  const without = (part: Place['part'], pointer: string, text: string): string => {
    const here = bound.get(placeKey({ part, pointer }))
    if (!here) return text
    const types = new Map(here.map(({ value, type }) => [value, `<${type}>`]))
    return (
      types.get(text) ??
      text
        .split(TOKEN_DELIMITERS)
        .map((token) => types.get(token) ?? token)
        .join('/')
    )
  }
  const out = [String(reply.status)]
  for (const name of ['content-type', 'location', 'x-sandbox-rule']) {
    const value = headerOf(reply.headers, name)
    if (value !== undefined) out.push(`${name}: ${without('reply-header', `/${name}`, value)}`)
  }
  const json = readJson(reply.body)
  if (!json) return [...out, Buffer.from(reply.body).toString('base64')].join('\n')
  eachScalar(json.root, (scalar, pointer, name) => {
    const text = scalar.kind === 'string' ? scalar.value : scalar.text
    const shown = isInstantName(name) ? '<instant>' : without('reply-body', pointer, text)
    out.push(`${pointer} ${scalar.kind} ${shown}`)
  })
  return out.join('\n')
}

/** The instants that a reply shows, in the order of its text. */
export function replyInstants({ interaction }: Entry): readonly number[] {
  const instants: number[] = []
  const json = interaction.reply && readJson(interaction.reply.body)
  if (!json) return instants
  eachScalar(json.root, (scalar, _pointer, name) => {
    if (scalar.kind !== 'string' || !isInstantName(name)) return
    const ms = instantOf(scalar.value)
    if (ms !== undefined) instants.push(ms)
  })
  return instants
}
