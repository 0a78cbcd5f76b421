import { segmentsOf, splitTarget } from '../../http/target.ts'
import type { Interaction, Place } from '../interaction.ts'
import { queryFields } from './body-fields.ts'
import { nextPointer, placeKey } from './place.ts'
import { readableBody } from './readable-body.ts'

/** Every value of an exchange that a place can name, by its place. */
export function valuesOf({ request, reply }: Pick<Interaction, 'request' | 'reply'>): Map<string, string> {
  const values = new Map<string, string>()
  const add = (part: Place['part'], pointer: string, value: string) =>
    values.set(placeKey({ part, pointer }), value)
  for (const [i, segment] of segmentsOf(splitTarget(request.target).path).entries())
    add('path', `/${i}`, segment)
  for (const { pointer, value } of queryFields(request.target)) add('query', pointer, value)
  const seen = new Map<string, number>()
  for (const [name, value] of request.headers)
    add('request-header', nextPointer(name.toLowerCase(), seen), value)
  for (const { pointer, value } of readableBody(request).fields) add('request-body', pointer, value)
  if (reply === undefined) return values
  const seenReply = new Map<string, number>()
  for (const [name, value] of reply.headers)
    add('reply-header', nextPointer(name.toLowerCase(), seenReply), value)
  for (const { pointer, value } of readableBody(reply).fields) add('reply-body', pointer, value)
  return values
}

/** What stands between the tokens of a URL, path or URN, each of which can be a bound value. */
export const TOKEN_DELIMITERS = /[/:?&=#]/
