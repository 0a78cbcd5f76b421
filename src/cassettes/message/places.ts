import type { Interaction, Place } from '../interaction.ts'
import { queryFields } from './body-fields.ts'
import { pointerOf } from './form-spans.ts'
import { readBody } from './read-body.ts'

export function placeKey({ part, pointer }: Place): string {
  return `${part} ${pointer}`
}

/** Every value of an exchange that a place can name. */
export function valuesOf({ request, reply }: Pick<Interaction, 'request' | 'reply'>): Map<string, string> {
  const values = new Map<string, string>()
  const add = (part: Place['part'], pointer: string, value: string) => values.set(`${part} ${pointer}`, value)
  const path = request.target.split('?', 1)[0] ?? ''
  for (const [i, segment] of path.slice(1).split('/').entries()) add('path', `/${i}`, decoded(segment))
  for (const { pointer, value } of queryFields(request.target)) add('query', pointer, value)
  const seen = new Map<string, number>()
  for (const [name, value] of request.headers)
    add('request-header', pointerOf(name.toLowerCase(), seen), value)
  for (const { pointer, value } of readBody(request).fields) add('request-body', pointer, value)
  if (reply === undefined) return values
  const seenReply = new Map<string, number>()
  for (const [name, value] of reply.headers)
    add('reply-header', pointerOf(name.toLowerCase(), seenReply), value)
  for (const { pointer, value } of readBody(reply).fields) add('reply-body', pointer, value)
  return values
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export const DELIMITERS = /[/:?&=#]/
