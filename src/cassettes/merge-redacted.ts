import { placeKey } from './bindings.ts'
import type { CapturedReply, CapturedRequest, Cassette, Interaction, Redaction } from './interaction.ts'
import { renameReply, renameRequest, renameText } from './merge-rename.ts'

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
