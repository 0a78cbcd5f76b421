import { freeName } from '../bindings/free-name.ts'
import type { Binding, Cassette, Interaction, Place } from '../interaction.ts'
import { appended } from '../merging/append.ts'
import {
  knownByDigest,
  redactedValues,
  renameInteraction,
  renameReply,
  renameRequest,
} from '../merging/rename.ts'
import { placeKey } from '../message/place.ts'
import type { Continuation } from '../tape/continuation.ts'

export type ContinueOptions = {
  readonly continuations: readonly Continuation[]
  /** The personal value behind a stand-in of the new interactions. */
  readonly original: (type: string, standIn: string) => string | undefined
  readonly annotate: (interactions: readonly Interaction[]) => readonly Interaction[]
}

/**
 * A cassette with what a run has recorded beside it. Where a value of the run stood for a recorded one, the new
 * interactions say the recorded one: the next run, with other values, then finds the old answers and the new.
 */
export function continueCassette(
  kept: Cassette,
  more: readonly Interaction[],
  { continuations, original, annotate }: ContinueOptions,
): Cassette {
  const runs = new Map(continuations.map((each) => [each.lane, createNames(each)]))
  const known = knownByDigest(kept)
  const { interactions } = appended(kept, more)
  const old = interactions.slice(0, kept.interactions.length)
  const added = annotate(interactions).slice(old.length)
  const renamed = added.map((interaction) => {
    const names = runs.get(interaction.lane)
    const people = new Map<string, string>()
    for (const { redaction, standIn } of redactedValues({ interactions: [interaction] })) {
      if (redaction.kind !== 'personal') continue
      const live = original(redaction.rule, standIn)
      const recorded = (live !== undefined && names?.recordedOf(redaction.rule, live)) || known(redaction)
      if (recorded !== undefined) people.set(standIn, recorded)
    }
    const one = people.size === 0 ? interaction : renameInteraction(interaction, people)
    return names ? { ...renameOwn(one, names), lane: names.lane } : one
  })
  return { ...kept, interactions: annotate([...old, ...renamed]) }
}

type RunNames = {
  readonly lane: string
  readonly recordedOf: (type: string, live: string) => string | undefined
  /** The recorded name of a value that nothing is known of: its own, unless another value stands for that one. */
  readonly nameFor: (type: string, live: string) => string
}

function createNames({ as, bound }: Continuation): RunNames {
  const toRecorded = new Map(bound.map(({ type, live, recorded }) => [`${type}\0${live}`, recorded]))
  const toLive = new Map(bound.map(({ type, live, recorded }) => [`${type}\0${recorded}`, live]))
  return {
    lane: as,
    recordedOf: (type, live) => toRecorded.get(`${type}\0${live}`),
    nameFor: (type, live) => freeName(live, (name) => toLive.get(`${type}\0${name}`)),
  }
}

/** Gives what client and server have made up in this run the recorded names. */
function renameOwn(interaction: Interaction, names: RunNames): Interaction {
  const redacted = new Set(interaction.redactions.map(({ place }) => placeKey(place)))
  let { request, reply } = interaction
  const bindings = interaction.bindings.map((binding): Binding => {
    const { type, value, places } = binding
    if (places.some((place) => redacted.has(placeKey(place)))) return binding
    const name = names.recordedOf(type, value) ?? names.nameFor(type, value)
    if (name === value) return binding
    const renaming = new Map([[value, name]])
    const here = new Set(places.map(placeKey))
    const where = (place: Place) => here.has(placeKey(place))
    request = renameRequest(request, renaming, where)
    reply = reply && renameReply(reply, renaming, where)
    return { ...binding, value: name }
  })
  return { ...interaction, request, reply, bindings }
}
