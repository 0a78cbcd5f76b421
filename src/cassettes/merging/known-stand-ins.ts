import type { Cassette } from '../interaction.ts'

/** Whatever may be a stand-in in these cassettes: more than there are does no harm. */
export function standInsOf(cassettes: readonly Cassette[]): Set<string> {
  const found = new Set<string>()
  for (const { interactions } of cassettes) {
    for (const { bindings, request, reply } of interactions) {
      for (const { value } of bindings) found.add(value)
      const texts = [
        request.target,
        ...[...request.headers, ...(reply?.headers ?? [])].map(([, value]) => value),
      ]
      for (const body of [request.body, reply?.body])
        if (body) texts.push(Buffer.from(body).toString('latin1'))
      for (const text of texts)
        for (const [standIn] of text.matchAll(/redacted-[a-z0-9-]*-[0-9]+/g)) found.add(standIn)
    }
  }
  return found
}
