import type { Interaction, Place } from './interaction.ts'
import type { LintProblem } from './lint.ts'
import { queryFields } from './redact-body.ts'
import { pointerOf } from './redact-form.ts'
import { readBody } from './redact-message.ts'

/** A binding says what its places hold; after an edit by hand they may hold something else. */
export function lintBindings(interaction: Interaction): LintProblem[] {
  const values = valuesOf(interaction)
  return interaction.bindings.flatMap(({ type, value, places }) =>
    places.flatMap((place): LintProblem[] => {
      const held = values.get(`${place.part} ${place.pointer}`)
      // In a reply a bound value may be one token of a URL.
      if (held === value || (held?.includes(value) && place.part.startsWith('reply'))) return []
      const message = `${place.part} ${place.pointer} does not hold the bound ${type}`
      return [{ severity: 'warning', kind: 'binding', message, at: { entry: interaction.sequence }, place }]
    }),
  )
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
